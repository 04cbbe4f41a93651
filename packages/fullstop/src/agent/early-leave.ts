/**
 * Lets a reader leave before the first event. A generator that is left then runs none of its code, not even what stands
 * in its `finally`; so this one is told to stop and takes its first step before it is left.
 */
export function withEarlyLeave<Event>(
  events: AsyncGenerator<Event, void, undefined>,
  stop: () => void,
): AsyncGenerator<Event, void, undefined> {
  const next = events.next.bind(events);
  const leave = events.return.bind(events);
  let isBegun = false;
  return Object.assign(events, {
    next: () => {
      isBegun = true;
      return next();
    },
    return: async () => {
      if (!isBegun) {
        isBegun = true;
        stop();
        await next();
      }
      return leave();
    },
  });
}
