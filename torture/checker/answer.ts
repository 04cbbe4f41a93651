import type { KeptEvent, Signal } from "../observation.ts";

/** A call as somebody got it. */
export interface GotCall {
  readonly name: string;
  readonly json: string;
  readonly isWhole: boolean;
}

/** What somebody got of an answer. */
export interface Answer {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly GotCall[];
  /** How often it ended. */
  readonly endings: number;
  /** Whether something of the answer came after its end. */
  readonly goesOnAfterEnd: boolean;
  /** Whether it ended as an error. */
  readonly isError: boolean;
  /** The word of the end, in the dialect's own language. */
  readonly word: string | undefined;
  readonly signal: Signal | undefined;
  readonly outputTokens: number | undefined;
}

/** One piece of news about an answer, in whatever form it came. */
export interface News {
  readonly reasoning?: string;
  readonly text?: string;
  readonly call?: { readonly key: string; readonly name?: string; readonly json?: string; readonly isDone?: boolean };
  readonly end?: { readonly word?: string | undefined; readonly isError: boolean };
  /** The word of the end where it comes before the end itself. */
  readonly word?: string | undefined;
  readonly signal?: Signal | undefined;
  readonly outputTokens?: number | undefined;
}

/** Puts news together. */
export function gather(all: readonly News[]): Answer {
  const calls = new Map<string, { name: string; json: string; isWhole: boolean }>();
  let text = "";
  let reasoning = "";
  let endings = 0;
  let goesOnAfterEnd = false;
  let end: News["end"];
  let early: string | undefined;
  let signal: Signal | undefined;
  let outputTokens: number | undefined;
  for (const news of all) {
    const hasContent = (news.text ?? "") !== "" || (news.reasoning ?? "") !== "" || news.call !== undefined;
    if (endings > 0 && hasContent) goesOnAfterEnd = true;
    text += news.text ?? "";
    reasoning += news.reasoning ?? "";
    if (news.call !== undefined) {
      const { key, name = "", json = "", isDone = false } = news.call;
      const call = calls.get(key) ?? { name: "", json: "", isWhole: false };
      calls.set(key, { name: call.name + name, json: call.json + json, isWhole: call.isWhole || isDone });
    }
    if (news.end !== undefined) {
      endings += 1;
      end = news.end;
    }
    early = news.word ?? early;
    signal = news.signal ?? signal;
    outputTokens = news.outputTokens ?? outputTokens;
  }
  const isError = end?.isError === true;
  return {
    text,
    reasoning,
    calls: [...calls.values()],
    endings,
    goesOnAfterEnd,
    isError,
    word: end?.word ?? early,
    signal,
    outputTokens,
  };
}

/** Puts together what the gateway keeps. */
export function gatherKept(events: readonly KeptEvent[]): Answer {
  return gather(
    events.map(({ type, text = "", callId: key = "", name = "", json = "", usage, signal }): News => {
      switch (type) {
        case "text":
          return { text };
        case "reasoning":
          return { reasoning: text };
        case "tool-call-start":
          return { call: { key, name } };
        case "tool-call-delta":
          return { call: { key, json } };
        case "tool-call-end":
          return { call: { key, isDone: true } };
        case "usage":
          return { outputTokens: usage?.outputTokens };
        case "finish":
          return { end: { word: signal?.reason, isError: signal?.reason === "error_termination" }, signal };
        default:
          return {};
      }
    }),
  );
}
