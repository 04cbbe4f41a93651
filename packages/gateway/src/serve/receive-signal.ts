/**
 * Waits until the process is told to end. Whoever tells it again is in a hurry.
 *
 * The listeners stay: a library that is loaded with the local models ends the process at once when it finds that nobody
 * else listens, and listeners that were to be called once are gone when it looks.
 */
export function receiveSignal(onHurry: () => void): Promise<void> {
  return new Promise((resolve) => {
    let isTold = false;
    const listener = (): void => {
      if (isTold) onHurry();
      isTold = true;
      resolve();
    };
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
  });
}
