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
  /** Adds a message. The same id again is the same message, so that a caller may repeat itself. */
  add(mode: DeliveryMode, message: UserMessage | string, id?: string): QueuedMessage;
  /** Takes out everything that waits for this moment. */
  take(mode: DeliveryMode): readonly QueuedMessage[];
  /** What still waits, in the order in which it came. */
  waiting(): readonly QueuedMessage[];
}

/** Creates an empty queue. */
export function createSteeringQueue(): SteeringQueue {
  let queue: readonly QueuedMessage[] = [];
  const known = new Map<string, QueuedMessage>();
  return {
    add(mode, message, id = `message_${known.size + 1}`) {
      const earlier = known.get(id);
      if (earlier !== undefined) return earlier;
      const queued = { id, mode, message: typeof message === "string" ? userMessage(message) : message };
      known.set(id, queued);
      queue = [...queue, queued];
      return queued;
    },
    take(mode) {
      const taken = queue.filter((queued) => queued.mode === mode);
      queue = queue.filter((queued) => queued.mode !== mode);
      return taken;
    },
    waiting: () => queue,
  };
}

/** A plain text as a message of the user's. */
export function userMessage(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}
