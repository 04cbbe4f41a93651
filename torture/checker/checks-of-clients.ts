import type { Dialect } from "../plan/kinds.ts";
import type { Answer } from "./answer.ts";
import type { Check } from "./case.ts";
import { isBeginningOf, isSame } from "./same-text.ts";

/** What the dialects call the endings. A cut or an error has no word: it is an error. */
const WORDS: Readonly<Record<Dialect, Readonly<Record<string, string | undefined>>>> = {
  "openai-chat": {
    natural_completion: "stop",
    stop_sequence: "stop",
    token_limit_reached: "length",
    tool_calls: "tool_calls",
    content_filtered: "content_filter",
    repetition_detected: "length",
    budget_exceeded: "length",
    cancelled: "stop",
    unknown: "length",
  },
  "openai-responses": {
    natural_completion: "completed",
    stop_sequence: "completed",
    token_limit_reached: "max_output_tokens",
    tool_calls: "completed",
    content_filtered: "content_filter",
    repetition_detected: "max_output_tokens",
    budget_exceeded: "max_output_tokens",
    cancelled: "cancelled",
    unknown: "unknown",
  },
  "anthropic-messages": {
    natural_completion: "end_turn",
    stop_sequence: "stop_sequence",
    token_limit_reached: "max_tokens",
    tool_calls: "tool_use",
    content_filtered: "refusal",
    repetition_detected: "max_tokens",
    budget_exceeded: "max_tokens",
    cancelled: "end_turn",
    unknown: undefined,
  },
  gemini: {
    natural_completion: "STOP",
    stop_sequence: "STOP",
    token_limit_reached: "MAX_TOKENS",
    tool_calls: "STOP",
    content_filtered: "SAFETY",
    repetition_detected: "MAX_TOKENS",
    budget_exceeded: "MAX_TOKENS",
    cancelled: "OTHER",
    unknown: "OTHER",
  },
};

/** What a cut is called that nobody wanted who waits for the answer. */
const CUT_WORDS: Readonly<Record<Dialect, string>> = {
  "openai-chat": "length",
  "openai-responses": "max_output_tokens",
  "anthropic-messages": "max_tokens",
  gemini: "OTHER",
};

/** What an answer is called that asks for a call that is not whole, so that nobody runs it. */
const CUT_CALL_WORDS: Readonly<Record<Dialect, string>> = { ...CUT_WORDS, gemini: "MALFORMED_FUNCTION_CALL" };

function wordOf(door: Dialect, signal: Answer["signal"]): string | undefined {
  if (signal?.reason === "cancelled" && signal.detail === "shutdown") return CUT_WORDS[door];
  if (signal?.reason === "tool_calls" && signal.detail === "incomplete_arguments") return CUT_CALL_WORDS[door];
  return WORDS[door][String(signal?.reason)];
}

/** A client that reads the bytes has got what is kept: all of it, or the beginning where it has left or was cut off. */
export const CLIENT: Check = {
  name: "client and store agree",
  guarantees: [1, 2, 3, 4],
  run({ got, kept, isOver, observation: { plan } }) {
    if (got === undefined || kept === undefined) return [];
    // An error in place of an answer has none of what came before it.
    const isWhole = isOver && !(got.isError && !plan.isStream);
    const holds = (mine: string, theirs: string): boolean =>
      isWhole ? isSame(mine, theirs) : isBeginningOf(mine, theirs);
    const isTold = got.endings === 1 && !got.isError;
    const reason = String(kept.signal?.reason);
    return [
      !holds(got.text, kept.text) && `the client has the text ${tail(got.text)}, and ${tail(kept.text)} is kept`,
      !holds(got.reasoning, kept.reasoning) &&
        `the client has the thinking ${tail(got.reasoning)}, and ${tail(kept.reasoning)} is kept`,
      isWhole &&
        !got.isError &&
        !holdsCalls(got.calls, kept) &&
        `the client has the calls ${JSON.stringify(got.calls)}, and ${JSON.stringify(kept.calls)} are kept`,
      got.endings === 1 && got.isError !== (reason === "error_termination") && `an error for one side only: ${reason}`,
      isTold && got.word !== wordOf(plan.door, kept.signal) && `the client was told ${got.word} of ${reason}`,
      isTold &&
        !sameSignal(got, kept) &&
        `the client was told ${JSON.stringify(got.signal)}, and ${JSON.stringify(kept.signal)} is kept`,
    ];
  },
};

/** A client is cut off by nobody: only a gateway that dies breaks connections. */
export const UNBROKEN: Check = {
  name: "nobody is cut off",
  guarantees: [1, 3],
  run({ observation: { client, houseFault } }) {
    if (client.kind !== "http" || client.received.over !== "broken") return [];
    return [houseFault === undefined && "the client's connection broke"];
  },
};

/** The dialect's own client has got what is kept, and an error exactly where there was one. */
export const OFFICIAL: Check = {
  name: "official client",
  guarantees: [1, 2, 3, 4],
  run({ kept, isRefused, observation: { client, houseFault, plan } }) {
    if (client.kind !== "sdk" || isRefused) return [];
    const { outcome } = client;
    const isError = kept?.signal?.reason === "error_termination";
    if ("error" in outcome) {
      // The clients of these tests read the arguments of calls, and fail where they were cut.
      const isCutCall = kept?.calls.some(({ isWhole }) => !isWhole) === true;
      return [
        kept !== undefined &&
          !isError &&
          !isCutCall &&
          houseFault === undefined &&
          `the client failed: ${outcome.error}`,
      ];
    }
    if (kept === undefined) return ["it was answered, and nothing is kept of it"];
    const { told } = outcome;
    const word = wordOf(plan.door, kept.signal) ?? null;
    const calls = told.calls.map(({ name, input }) => ({ name, json: JSON.stringify(input) }));
    return [
      isError && told.finish !== "failed" && `the client was told ${told.finish} of an error`,
      !isError && told.finish !== word && `the client was told ${told.finish} of ${kept.signal?.reason}`,
      !isSame(told.text, kept.text) && `the client has the text ${tail(told.text)}, and ${tail(kept.text)} is kept`,
      !isSame(told.reasoning, kept.reasoning) &&
        `the client has the thinking ${tail(told.reasoning)}, and ${tail(kept.reasoning)} is kept`,
      !isError &&
        !holdsCalls(calls, kept) &&
        `the client has the calls ${JSON.stringify(calls)}, and ${JSON.stringify(kept.calls)} are kept`,
    ];
  },
};

const tail = (text: string): string => `${JSON.stringify(text.slice(-40))} (${text.length})`;

/** Whether calls are those that are kept. Dialects leave out, or show in part, what was cut. */
function holdsCalls(got: readonly { readonly name: string; readonly json: string }[], kept: Answer): boolean {
  const whole = kept.calls.filter(({ isWhole }) => isWhole);
  const areThere = whole.every(({ name, json }, index) => {
    const call = got[index];
    return (
      call !== undefined && call.name === name && JSON.stringify(parsed(call.json)) === JSON.stringify(parsed(json))
    );
  });
  return areThere && got.length <= kept.calls.length;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json === "" ? "{}" : json);
  } catch {
    return json;
  }
}

function sameSignal({ signal }: Answer, { signal: kept }: Answer): boolean {
  return (
    signal?.reason === kept?.reason &&
    signal?.detail === kept?.detail &&
    signal?.stopSequence === kept?.stopSequence &&
    signal?.providerSpecific?.originalValue === kept?.providerSpecific?.originalValue
  );
}
