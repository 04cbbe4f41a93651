import type { buildConnector } from "undici";
import createConnector from "undici/lib/core/connect.js";
import symbols from "undici/lib/core/symbols.js";

/** What undici keeps at a socket to read answers with. */
interface Parser {
  paused: boolean;
  /** Goes on behind a pause. */
  resume(): void;
  /** The machine within, which has a pause of its own. */
  readonly llhttp: { llhttp_resume(parser: unknown): void };
  readonly ptr: unknown;
}

const connectAsUsual = createConnector({});

/**
 * Connects to a provider. undici asserts that no parser is paused when its connection ends, and throws where nobody can
 * catch it: one reader that is slow and one provider that closes its connections would end the whole server. An end
 * comes when no bytes are left behind the pause, and an error takes the rest away: it waits for nobody any more.
 */
export const connect: buildConnector.connector = (options, callback) => {
  connectAsUsual(options, (...result) => {
    const [, socket] = result;
    // They are called before those that undici is about to add.
    socket?.on("end", () => readToEnd(socket));
    for (const ending of ["error", "close"]) socket?.on(ending, () => letGoOn(socket));
    callback(...result);
  });
};

/** Has the parser see that an answer is whole. All bytes of it have been read, but it has paused before its end. */
function readToEnd(socket: object): void {
  const parser = parserOf(socket);
  if (parser?.paused !== true) return;
  parser.resume();
  if (!parser.paused) return;
  // An answer without a length ends with its connection. Until then its parser pauses again, for a piece of nothing.
  parser.llhttp.llhttp_resume(parser.ptr);
  parser.paused = false;
}

function letGoOn(socket: object): void {
  const parser = parserOf(socket);
  if (parser !== undefined) parser.paused = false;
}

function parserOf(socket: object): Parser | undefined {
  const parser: unknown = Reflect.get(socket, symbols.kParser);
  return isParser(parser) ? parser : undefined;
}

function isParser(value: unknown): value is Parser {
  return typeof value === "object" && value !== null && "paused" in value && "resume" in value && "llhttp" in value;
}
