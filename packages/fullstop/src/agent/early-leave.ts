import { stopOnLeave } from "../leave.ts";

/**
 * Lets a reader leave at any time. A generator that is left before the first event runs none of its code, not even what
 * stands in its `finally`; so this one is told to stop and takes its first step before it is left. In the middle it is
 * told to stop as well, because the next event may be long in coming.
 */
export function withEarlyLeave<Event>(
  events: AsyncGenerator<Event, void, undefined>,
  stop: () => void,
): AsyncGenerator<Event, void, undefined> {
  const next = events.next.bind(events);
  const stopped = stopOnLeave(events, stop);
  const leave = stopped.return.bind(stopped);
  const fail = stopped.throw.bind(stopped);
  let isBegun = false;
  const begin = async (): Promise<void> => {
    isBegun = true;
    stop();
    await next();
  };
  return Object.assign(stopped, {
    next: () => {
      isBegun = true;
      return next();
    },
    return: async () => {
      if (!isBegun) await begin();
      return leave();
    },
    throw: async (error: unknown) => {
      if (!isBegun) await begin();
      return fail(error);
    },
  });
}
