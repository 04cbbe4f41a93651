import type { GenerationEvent } from "../events.ts";
import { stopOnLeave } from "../leave.ts";
import { receive } from "./receive.ts";
import type { Exchange } from "./receive.ts";

/**
 * Sends a request and iterates over the events that come back, up to the finish. What comes while an event is looked
 * at has to wait, and the provider is not blamed for that time. Leaving early closes the connection, also in the middle
 * of a silence.
 */
export function iterate(exchange: Exchange): AsyncGenerator<GenerationEvent, void, undefined> {
  const leave = (): void => {
    if (!exchange.pipe.isFinished) exchange.connection.giveUp();
  };
  return stopOnLeave(read(exchange, leave), leave);
}

async function* read(exchange: Exchange, leave: () => void): AsyncGenerator<GenerationEvent, void, undefined> {
  let ready: readonly GenerationEvent[] = [];
  let isOver = false;
  let isLeft = false;
  let wake: (() => void) | undefined;
  let goOn: (() => void) | undefined;
  const received = receive(exchange, (events) => {
    if (isLeft) return undefined;
    // The end may come while there is something that nobody has looked at yet.
    ready = ready.concat(events);
    wake?.();
    return new Promise((resolve) => (goOn = resolve));
  }).finally(() => {
    isOver = true;
    wake?.();
  });
  try {
    for (;;) {
      const events = ready;
      ready = [];
      for (const event of events) yield event;
      if (events.length > 0) goOn?.();
      else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await received;
  } finally {
    isLeft = true;
    leave();
    goOn?.();
  }
}
