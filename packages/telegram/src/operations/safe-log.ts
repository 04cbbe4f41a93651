import { createHide } from "./hide-secrets.ts";
import type { Hide } from "./hide-secrets.ts";
import type { BotLog } from "./log.ts";

/**
 * A log to which errors can be given as they are, as `err`. Of an error only its name, its message and its place in the
 * code are told: those of the network carry the address that was called, and the bot's token is part of it. What could
 * not be read as JSON is quoted by the error that says so, and somebody has written it: of that the words are left out.
 * The token is taken out of all other fields, too: some of them are what servers have said.
 */
export function createSafeLog(log: BotLog, token: string): BotLog {
  const hide = createHide([token]);
  const safe = ({ err, ...others }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const fields = Object.fromEntries(
      Object.entries(others).map(([name, value]) => [name, typeof value === "string" ? hide(value) : value]),
    );
    return err === undefined ? fields : { ...fields, err: describe(err, hide) };
  };
  return {
    info: (fields, message) => log.info(safe(fields), message),
    warn: (fields, message) => log.warn(safe(fields), message),
  };
}

function describe(error: unknown, hide: Hide): object {
  if (!(error instanceof Error)) return { message: hide(String(error)) };
  const { name, message, stack } = error;
  const tell = error instanceof SyntaxError ? (text: string) => text.replaceAll(message, "…") : hide;
  return { name, message: tell(message), ...(stack !== undefined && { stack: tell(stack) }) };
}
