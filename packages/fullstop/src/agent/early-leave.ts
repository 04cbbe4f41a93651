/**
 * Events that can be left before the first of them. A generator runs nothing then, not even what it does for those who
 * leave; this one is told to stop and takes its first step before it is left.
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
