import type { BotLog } from "./log.ts";

/**
 * A log to which errors can be given as they are, as `err`. Of an error only its name, its message and its place in the
 * code are told: those of the network carry the address that was called, and the bot's token is part of it. What could
 * not be read as JSON is quoted by the error that says so, and somebody has written it: of that the words are left out.
 */
export function createSafeLog(log: BotLog, token: string): BotLog {
  const hide = (text: string): string => text.replaceAll(token, "<token>");
  const safe = ({ err, ...fields }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
    err === undefined ? fields : { ...fields, err: describe(err, hide) };
  return {
    info: (fields, message) => log.info(safe(fields), message),
    warn: (fields, message) => log.warn(safe(fields), message),
  };
}

function describe(error: unknown, hide: (text: string) => string): object {
  if (!(error instanceof Error)) return { message: hide(String(error)) };
  const { name, message, stack } = error;
  const tell = error instanceof SyntaxError ? (text: string) => text.replaceAll(message, "…") : hide;
  return { name, message: tell(message), ...(stack !== undefined && { stack: tell(stack) }) };
}
