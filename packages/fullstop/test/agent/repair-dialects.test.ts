import fc from "fast-check";
import { describe, it } from "vitest";
import { repairHistory } from "../../src/agent/repair-history.ts";
import type { Message } from "../../src/request.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { anyHistory, user } from "../support/histories.ts";
import { read, readList } from "../support/official.ts";
import type { Json } from "../support/official.ts";
import { same } from "../support/same.ts";

/** How a conversation looks to one provider: turns that call tools, turns that answer calls, and others. */
type Step =
  | { readonly kind: "calls"; readonly ids: readonly unknown[] }
  | { readonly kind: "results"; readonly ids: readonly unknown[] }
  | { readonly kind: "other" };

type Dialect = keyof typeof WIRE_FORMATS;

const OTHER: Step = { kind: "other" };

function step(calls: readonly unknown[], results: readonly unknown[]): Step {
  if (calls.length > 0) return { kind: "calls", ids: calls };
  return results.length > 0 ? { kind: "results", ids: results } : OTHER;
}

/** Reads the turns out of a body, and throws where the dialect's own order is broken. */
const READERS: Readonly<Record<Dialect, (body: Json) => readonly Step[]>> = {
  "anthropic-messages": (body) => {
    const messages = readList(body, "messages");
    return messages.flatMap((message, index) => {
      const role = read(message, "role");
      if (role === read(messages, index - 1, "role")) throw new Error(`two turns of ${String(role)} in a row`);
      const blocks = readList(message, "content");
      const types = blocks.map(({ type }) => type);
      if (types.lastIndexOf("tool_result") >= types.filter((type) => type === "tool_result").length) {
        throw new Error("a result stands behind something else");
      }
      const ids = (type: string, id: string): readonly unknown[] =>
        blocks.filter((block) => block["type"] === type).map((block) => block[id]);
      return [step(ids("tool_use", "id"), ids("tool_result", "tool_use_id"))];
    });
  },
  gemini: (body) =>
    readList(body, "contents").map((content) => {
      const parts = readList(content, "parts");
      const ids = (name: string): readonly unknown[] =>
        parts.filter((part) => name in part).map((part) => read(part, name, "id"));
      return step(ids("functionCall"), ids("functionResponse"));
    }),
  "openai-chat": (body) =>
    joinResults(
      readList(body, "messages").map((message) => {
        const results = message["role"] === "tool" ? [message["tool_call_id"]] : [];
        return step(
          readList(message, "tool_calls").map(({ id }) => id),
          results,
        );
      }),
    ),
  "openai-responses": (body) => {
    const items = readList(body, "input").filter(({ type, role }) => type !== "reasoning" && role !== "assistant");
    return joinResults(
      items.map(({ type, call_id: id }) =>
        step(type === "function_call" ? [id] : [], type === "function_call_output" ? [id] : []),
      ),
    );
  },
};

/** Joins what follows each other, in dialects where every call or every result is a message of its own. */
function joinResults(steps: readonly Step[]): readonly Step[] {
  const joined: Step[] = [];
  for (const one of steps) {
    const last = joined.at(-1);
    if (one.kind !== "other" && last?.kind === one.kind)
      joined.splice(-1, 1, { ...last, ids: [...last.ids, ...one.ids] });
    else joined.push(one);
  }
  return joined;
}

describe.each(Object.keys(READERS) as Dialect[])("a repaired history in the dialect %s", (dialect) => {
  const encode = (messages: readonly Message[]): ReturnType<(typeof WIRE_FORMATS)[Dialect]["encodeRequest"]> =>
    WIRE_FORMATS[dialect].encodeRequest({ model: "m", messages: [user("go"), ...messages], maxOutputTokens: 99 });

  it("has all the results of a turn's calls directly behind it, and no others", () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const steps = READERS[dialect](encode(repairHistory(messages)).body);
        for (const [index, one] of steps.entries()) {
          const next = steps[index + 1];
          const before = steps[index - 1];
          if (one.kind === "calls") same(next?.kind === "results" && next.ids, one.ids);
          if (one.kind === "results") same(before?.kind, "calls");
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is written without a warning about calls and results", () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const repaired = [user("go"), ...repairHistory(messages)];
        const { warnings } = encode(repaired.slice(1));
        const aboutTools = warnings.filter(({ field, message }) => {
          // That a tool has failed is a flag in some dialects; the words say it in all of them.
          if (field.endsWith(".isError")) return false;
          const index = Number(/^messages\[(?<index>\d+)\]/.exec(field)?.groups?.["index"] ?? -1);
          return repaired[index]?.role === "tool" || field.endsWith(".json") || /\bcall\b|result/.test(message);
        });
        // A text that stands behind a call is moved before it in one dialect; that is about the text.
        same(
          aboutTools.filter(({ message }) => message !== "A text after a tool call was moved before it."),
          [],
        );
      }),
      { numRuns: 1000 },
    );
  });
});
