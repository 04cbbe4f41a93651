/**
 * Where the bot says what happens: pino has this shape, and so has `console` almost. Nothing that was written, by people
 * or by models, is ever part of it.
 */
export interface BotLog {
  readonly info: (fields: Readonly<Record<string, unknown>>, message: string) => void;
  readonly warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/** A log that nobody reads. */
export const SILENT_LOG: BotLog = { info: () => undefined, warn: () => undefined };
