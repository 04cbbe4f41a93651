import type { buildConnector } from "undici";
import createConnector from "undici/lib/core/connect.js";
import symbols from "undici/lib/core/symbols.js";

/** What undici keeps at a socket to read answers with. */
interface Parser {
  paused: boolean;
}

const connectAsUsual = createConnector({});

/**
 * Connects to a provider. undici asserts that no parser is paused when its connection ends, and throws where nobody can
 * catch it: one reader that is slow and one provider that closes its connections would end the whole server. An end
 * comes when nothing is left behind the pause, and an error takes the rest away: it waits for nobody any more.
 */
export const connect: buildConnector.connector = (options, callback) => {
  connectAsUsual(options, (...result) => {
    const [, socket] = result;
    // They are called before those that undici is about to add.
    for (const ending of ["end", "error", "close"]) socket?.on(ending, () => letGoOn(socket));
    callback(...result);
  });
};

function letGoOn(socket: object): void {
  const parser: unknown = Reflect.get(socket, symbols.kParser);
  if (isParser(parser)) parser.paused = false;
}

function isParser(value: unknown): value is Parser {
  return typeof value === "object" && value !== null && "paused" in value;
}
