import { sourcesToJson } from "../sources.ts";
import type { InspectedAnswer } from "./summary.ts";

/** What some programs take for the end of a line besides the line feed, or for a command to the terminal. */
const NOT_IN_A_LINE = /[\u007F-\u009F\u2028\u2029]/gu;

/** An answer as one line of JSON, for programs. */
export function renderJsonLine({ file, format, summary }: InspectedAnswer): string {
  const { parts, sources, usage, signal } = summary;
  const textOf = (type: "text" | "reasoning"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  const json = JSON.stringify({
    file,
    format,
    signal,
    truncated: signal.detail === "truncated",
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    toolCalls: parts.flatMap((part) => (part.type === "tool-call" ? [{ name: part.name, arguments: part.json }] : [])),
    sources: sourcesToJson(sources),
    usage: usage === undefined ? null : { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
  });
  return json.replace(NOT_IN_A_LINE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
