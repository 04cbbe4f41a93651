import type { InputStream } from "../terminal.ts";

/** An input that can be waited for without being bound to it. */
export interface Input<Call> {
  /** The next bytes, `"end"`, or what somebody has called out meanwhile. */
  next(): Promise<Uint8Array | "end" | Call>;
  /** Ends the wait for bytes, this one or the next. */
  callOut(call: Call): void;
  /** Leaves the input, which ends whatever writes to it. */
  leave(): void;
}

/** Opens an input. Nothing is read before it is asked for. */
export function openInput<Call extends object>(stream: InputStream): Input<Call> {
  const chunks = stream[Symbol.asyncIterator]();
  /** The read that is under way: it goes on while something called out is looked at. */
  let reading: Promise<Uint8Array | "end"> | undefined;
  const calls: Call[] = [];
  let wake: (() => void) | undefined;

  async function read(): Promise<Uint8Array | "end"> {
    const result = await chunks.next();
    if (result.done === true) return "end";
    const chunk: Uint8Array | string = result.value;
    return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  }

  return {
    async next() {
      if (calls.length === 0) {
        reading ??= read();
        const current = reading;
        await new Promise<void>((resolve, reject) => {
          wake = resolve;
          current.then(() => resolve(), reject);
        });
      }
      const call = calls.shift();
      if (call !== undefined) return call;
      const finished = reading;
      reading = undefined;
      return finished ?? "end";
    },
    callOut(call) {
      calls.push(call);
      wake?.();
    },
    leave() {
      // A read that is under way fails by this, and nobody waits for it any more.
      reading?.catch(() => undefined);
      stream.destroy?.();
    },
  };
}
