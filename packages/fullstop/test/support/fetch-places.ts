import type { Channel } from "../../src/index.ts";
import type { Dialect } from "./provider-server.ts";

/** A JSON object of a body. */
export type Fields = Readonly<Record<string, unknown>>;

/** A place of an answer in which something is said that rules may look at. */
export interface Place {
  readonly name: string;
  readonly dialect: Dialect;
  readonly channel: Channel;
  /** What stands there: text, the text of JSON, or an object. */
  readonly form: "text" | "json" | "object";
  /** Whether what stands there can come in several pieces. */
  readonly isInPieces: boolean;
  /** Whether it is left out where it cannot be shown to its end, because the dialect has no words for half of it. */
  readonly isLeftOut?: boolean;
  /** An answer with pieces in that place, and where the dialect has room for it, text behind them. */
  readonly body: (pieces: readonly string[], after: string) => string;
  /** Whether text can stand behind it. */
  readonly hasAfter: boolean;
}

/** What stands in the place, by its form: `said` as text, or within the text of JSON. */
export function formOf({ form }: Place, said: string): string {
  return form === "text" ? said : JSON.stringify({ q: said });
}

/** The value of a place that is an object. */
export function objectOf(pieces: readonly string[]): unknown {
  return JSON.parse(pieces.join("")) as unknown;
}
