import type { Signal } from "../observation.ts";
import type { Dialect } from "../plan/kinds.ts";
import type { News } from "./answer.ts";
import { readStream } from "./read-stream.ts";

/** What stands in the bodies of the four dialects, as far as it matters here. */
interface Body {
  readonly error?: unknown;
  readonly fullstop?: Signal;
  readonly choices?: readonly {
    readonly message: {
      readonly content?: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    };
    readonly finish_reason: string;
  }[];
  readonly output?: readonly {
    readonly type: string;
    readonly id: string;
    readonly name?: string;
    readonly arguments?: string;
    readonly status?: string;
    readonly content?: readonly { readonly text?: string }[];
    readonly summary?: readonly { readonly text?: string }[];
  }[];
  readonly status?: string;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly content?: readonly {
    readonly type: string;
    readonly id?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly name?: string;
    readonly input?: unknown;
  }[];
  readonly stop_reason?: string | null;
  readonly usage?: { readonly completion_tokens?: number; readonly output_tokens?: number } | null;
}

/** Reads an answer that came in one piece. */
export function readWhole(dialect: Dialect, status: number, text: string): readonly News[] {
  const body = JSON.parse(text) as Body;
  if (status >= 400 || (body.error !== undefined && body.error !== null))
    return [{ end: { isError: true }, signal: body.fullstop }];
  // Gemini's whole answer is one chunk of its stream.
  if (dialect === "gemini") return readStream("gemini", `data: ${text}\n\n`);
  return READERS[dialect](body);
}

const READERS: Readonly<Record<Exclude<Dialect, "gemini">, (body: Body) => readonly News[]>> = {
  "openai-chat"({ choices = [], usage, fullstop: signal }) {
    const [choice] = choices;
    if (choice === undefined) return [];
    const { message, finish_reason: word } = choice;
    return [
      { reasoning: message.reasoning_content ?? "", text: message.content ?? "" },
      ...(message.tool_calls ?? []).map(({ id: key, function: { name, arguments: json } }) => ({
        call: { key, name, json },
      })),
      { end: { word, isError: false }, signal, outputTokens: usage?.completion_tokens },
    ];
  },
  "openai-responses"({ output = [], status, incomplete_details: details, usage, fullstop: signal }) {
    return [
      ...output.map(
        ({ type, id: key, name = "", arguments: json = "", status: state, content = [], summary = [] }): News => {
          if (type === "function_call") return { call: { key, name, json, isDone: state === "completed" } };
          const text = content.map((part) => part.text ?? "").join("");
          return type === "message" ? { text } : { reasoning: summary.map((part) => part.text ?? "").join("") };
        },
      ),
      { end: { word: details?.reason ?? status, isError: false }, signal, outputTokens: usage?.output_tokens },
    ];
  },
  "anthropic-messages"({ content = [], stop_reason: word, usage, fullstop: signal }) {
    return [
      ...content.map(({ type, id: key = "", text = "", thinking = "", name = "", input }): News => {
        if (type === "tool_use") return { call: { key, name, json: JSON.stringify(input), isDone: true } };
        return { text, reasoning: thinking };
      }),
      { end: { word: word ?? undefined, isError: false }, signal, outputTokens: usage?.output_tokens },
    ];
  },
};
