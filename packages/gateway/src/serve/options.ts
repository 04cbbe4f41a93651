import { parseArgs } from "node:util";
import { messageOf } from "../message-of.ts";

/** What `fullstop serve` was told. */
export interface ServeOptions {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly config: string | undefined;
  /** A local model to serve beside the configured ones. */
  readonly model: string | undefined;
}

/** A command line that cannot be understood. */
export class UsageError extends Error {}

/** Reads the parameters of `fullstop serve`. */
export function readServeOptions(parameters: readonly string[]): ServeOptions | "help" {
  const values = parse(parameters);
  if (values.help === true) return "help";
  const { host, config, model, port } = values;
  return { host, config, model, port: port === undefined ? undefined : readPort("--port", port) };
}

/** Reads the number of a port, from wherever it was given. */
export function readPort(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/u.test(text) && port <= 65_535) return port;
  throw new UsageError(`${name} must be a number from 0 to 65535, got ${JSON.stringify(text)}`);
}

function parse(parameters: readonly string[]) {
  try {
    const options = {
      host: { type: "string" },
      port: { type: "string" },
      config: { type: "string" },
      model: { type: "string" },
      help: { type: "boolean", short: "h" },
    } as const;
    return parseArgs({ args: [...parameters], options, strict: true }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
