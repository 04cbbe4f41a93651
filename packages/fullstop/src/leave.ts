/**
 * Lets a reader leave while the next value is still to come. A generator hears of that only when it has come, and a
 * model may be silent for minutes; so what it waits for is stopped first. A reader leaves like that wherever a stream
 * is made of an iteration (`ReadableStream.from`, `Readable.from`), and whoever reads it goes away.
 */
export function stopOnLeave<Value>(
  values: AsyncGenerator<Value, void, undefined>,
  stop: () => void,
): AsyncGenerator<Value, void, undefined> {
  const leave = values.return.bind(values);
  const fail = values.throw.bind(values);
  return Object.assign(values, {
    return: () => {
      stop();
      return leave();
    },
    throw: (error: unknown) => {
      stop();
      return fail(error);
    },
  });
}
