/** What a client asks, in no dialect's words. */
interface Question {
  readonly model: string;
  readonly prompt?: string;
  readonly stream: boolean;
  readonly stop?: readonly string[];
  readonly maxTokens?: number;
  /** Off unless asked for. */
  readonly think?: boolean;
  /** Whether the tools are offered. */
  readonly tools?: boolean;
  /** The result of the one call that an earlier answer had. */
  readonly result?: { readonly call: ToldCall; readonly text: string };
  /** The gateway's own object. */
  readonly fullstop?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Told of every piece that comes. */
  readonly onPiece?: () => void;
}

/** A call as a client tells it. */
interface ToldCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a client has got, in no dialect's words but for the finish. */
export interface Told {
  readonly generationId: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToldCall[];
  /** The addresses that are quoted. */
  readonly sources: readonly string[];
  /** In the dialect's own words. */
  readonly finish: string | null;
  readonly stopSequence: string | null;
  readonly usage: { readonly input: number; readonly output: number } | undefined;
  /** The signal beside the finish; undefined where the client does not pass it on, as that of Gemini. */
  readonly fullstop: unknown;
}

/** A client of one dialect. */
export type Ask = (question: Question) => Promise<Told>;

/** The one tool that the clients offer. */
export const WEATHER = {
  name: "get_weather",
  description: "Get the weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;

/** The generation that an answer is of. */
export const idOf = (response: Response): string => response.headers.get("x-fullstop-generation-id") ?? "";

/** What stands at a place in some JSON; undefined if nothing does. */
export const read = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce((inner, key) => (inner as Readonly<Record<string | number, unknown>> | undefined)?.[key], value);

/** The text that stands at a place in some JSON; none if nothing does. */
export function readText(value: unknown, ...path: readonly (string | number)[]): string {
  const found = read(value, ...path);
  return typeof found === "string" ? found : "";
}
