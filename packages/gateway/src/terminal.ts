/** A stream that a command writes to, such as `process.stdout`. */
export interface OutputStream {
  write(content: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** What a command reads, such as `process.stdin`. */
export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
  /** Tells whoever writes to it that nobody reads any more. */
  destroy?(): unknown;
}

/** All that a command may touch of the process it runs in; `process` itself is one. */
export interface Terminal {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs one command of the command line and gives the exit code. */
export type RunCommand = (parameters: readonly string[], terminal: Terminal) => Promise<number>;

const CLOSED_PIPE = /^(?:EPIPE|ERR_STREAM_DESTROYED)$/u;

/**
 * Writes a text, or bytes, and waits until it has left. False says that nobody reads any more, as when the output goes to `head`:
 * then there is nothing left to do, and nothing to complain about. Any other failure throws.
 */
export async function writeText(stream: OutputStream, text: string | Uint8Array): Promise<boolean> {
  try {
    await new Promise<void>((resolve, reject) => {
      stream.write(text, (error) => {
        if (error === undefined || error === null) resolve();
        else reject(error);
      });
    });
    return true;
  } catch (error) {
    if (CLOSED_PIPE.test(codeOf(error))) return false;
    throw error;
  }
}

/**
 * Keeps the failures of the output streams from ending the process: a failed write is told to whoever wrote, and a
 * stream without a listener would throw the same error once more, out of reach of everybody.
 */
export function guardOutput({ stdout, stderr }: Terminal): void {
  for (const stream of [stdout, stderr]) stream.on("error", () => undefined);
}

/** The code of a system error, such as `ENOENT`; empty if it has none. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
