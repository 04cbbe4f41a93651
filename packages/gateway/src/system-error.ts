import { getSystemErrorMap } from "node:util";

/** Where the system's own words say too much or are hard to understand. */
const PLAIN_WORDS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file"],
  ["EISDIR", "is a directory"],
]);

/** What went wrong with a file or a stream, in a few words; undefined for an error that is not the system's. */
export function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errno" in error) || typeof error.errno !== "number") return undefined;
  const [code = "", words] = getSystemErrorMap().get(error.errno) ?? [];
  if ("syscall" in error && error.syscall === "listen" && "address" in error && "port" in error) {
    const place = `${String(error.address)}:${String(error.port)}`;
    const advice =
      code === "EADDRINUSE"
        ? "end the program that has it, or choose another port with --port"
        : "choose another one with --host or --port";
    return `${words}: ${place}; ${advice}`;
  }
  if ("hostname" in error) return `${words}: ${String(error.hostname)}`;
  return PLAIN_WORDS.get(code) ?? words ?? error.message;
}
