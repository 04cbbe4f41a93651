import { checkMessage } from "../check-message.ts";
import { FullstopError, invalidArgument } from "../errors.ts";
import type { UserMessage } from "../request.ts";

/** When a message that comes during a run reaches the model: at the next step, or when the run is done. */
export type DeliveryMode = "steer" | "follow-up";

/** A message that waits. */
export interface QueuedMessage {
  readonly id: string;
  readonly mode: DeliveryMode;
  readonly message: UserMessage;
}

/** Messages that came while the model was busy. */
export interface SteeringQueue {
  /**
   * Adds a message. The same id again is the same message, so that a caller may repeat itself. Throws once the queue is
   * closed.
   */
  add(mode: DeliveryMode, message: UserMessage | string, id?: string): QueuedMessage;
  /** What still waits, in the order in which it came. */
  waiting(): readonly QueuedMessage[];
  /** Takes out messages that have reached the model. */
  remove(delivered: readonly QueuedMessage[]): void;
  /** Takes no more messages, because nobody would hear them. What still waits stays. */
  close(): void;
}

/** Creates an empty queue. */
export function createSteeringQueue(): SteeringQueue {
  let queue: readonly QueuedMessage[] = [];
  const known = new Map<string, QueuedMessage>();
  let isOpen = true;
  return {
    add(mode, message, givenId) {
      const earlier = givenId === undefined ? undefined : known.get(givenId);
      if (earlier !== undefined) return earlier;
      if (!isOpen) throw new FullstopError("use_after_end", "The run is over and hears no more messages");
      const id = givenId ?? freeId(known);
      const queued = { id, mode, message: typeof message === "string" ? userMessage(message) : checked(message) };
      known.set(id, queued);
      queue = [...queue, queued];
      return queued;
    },
    waiting: () => queue,
    remove(delivered) {
      queue = queue.filter((queued) => !delivered.includes(queued));
    },
    close() {
      isOpen = false;
    },
  };
}

function checked(message: UserMessage): UserMessage {
  checkMessage("message", message);
  if (message.role !== "user") throw invalidArgument("message role", 'must be "user"', message.role);
  return message;
}

/** An id that no message has, also none that the caller has named. */
function freeId(known: ReadonlyMap<string, QueuedMessage>): string {
  let number = known.size + 1;
  while (known.has(`message_${number}`)) number += 1;
  return `message_${number}`;
}

/** A plain text as a message of the user's. */
export function userMessage(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}
