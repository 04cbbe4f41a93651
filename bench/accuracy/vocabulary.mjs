// @ts-check

/** @typedef {import("fullstop").TerminationReason} Reason */
/** @typedef {import("./subjects.mjs").SubjectName} SubjectName */

/**
 * What the words of the AI SDK mean, as its own types explain them.
 *
 * @type {Readonly<Record<string, Reason>>}
 */
const AI_SDK_WORDS = {
  stop: "natural_completion",
  length: "token_limit_reached",
  "content-filter": "content_filtered",
  "tool-calls": "tool_calls",
  error: "error_termination",
  // "Provider stream ended without a completion signal; output may be incomplete".
  interrupted: "error_termination",
  other: "unknown",
};

/**
 * What the words of providers mean, as their own documentation explains them: for those who pass them on. A word that
 * is not here counts as unknown, which is what it is to whoever reads it.
 *
 * @type {Readonly<Record<string, Reason>>}
 */
const PROVIDER_WORDS = {
  // OpenAI Chat Completions, and the servers that speak it.
  stop: "natural_completion",
  eos_token: "natural_completion",
  length: "token_limit_reached",
  model_length: "context_window_exceeded",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filtered",
  sensitive: "content_filtered",
  insufficient_system_resource: "error_termination",
  network_error: "error_termination",
  error: "error_termination",
  abort: "cancelled",
  repetition: "repetition_detected",
  // OpenAI Responses.
  completed: "natural_completion",
  max_output_tokens: "token_limit_reached",
  failed: "error_termination",
  cancelled: "cancelled",
  // Anthropic.
  end_turn: "natural_completion",
  stop_sequence: "stop_sequence",
  max_tokens: "token_limit_reached",
  model_context_window_exceeded: "context_window_exceeded",
  tool_use: "tool_calls",
  refusal: "content_filtered",
  pause_turn: "paused",
  overloaded_error: "error_termination",
  // Gemini.
  STOP: "natural_completion",
  MAX_TOKENS: "token_limit_reached",
  SAFETY: "content_filtered",
  RECITATION: "content_filtered",
  PROHIBITED_CONTENT: "content_filtered",
  BLOCKLIST: "content_filtered",
  SPII: "content_filtered",
  MALFORMED_FUNCTION_CALL: "error_termination",
};

/**
 * What counts as right beside the very reason, for those who have fewer words, and why.
 *
 * @type {readonly { readonly expected: Reason, readonly alsoRight: readonly Reason[], readonly why: string }[]}
 */
export const NEAREST = [
  {
    expected: "stop_sequence",
    alsoRight: ["natural_completion"],
    why: "Most APIs have one word, `stop`, for both.",
  },
  {
    expected: "context_window_exceeded",
    alsoRight: ["token_limit_reached", "unknown", "error_termination"],
    why: "Few have a word of their own for it; that there was no more room is what counts.",
  },
  {
    expected: "paused",
    alsoRight: ["unknown"],
    why: "One provider does it. `other` makes a program look; `stop` would make it take half a turn for a whole one.",
  },
  {
    expected: "repetition_detected",
    alsoRight: ["token_limit_reached", "unknown"],
    why: "Looking for loops is a rule of fullstop's; whoever passes on what the provider said is right.",
  },
  {
    expected: "cancelled",
    alsoRight: ["error_termination", "unknown"],
    why: "That the answer is not whole is what counts.",
  },
  {
    expected: "unknown",
    alsoRight: ["error_termination"],
    why: "Not to take for success what nobody understands is what counts, and an error does that.",
  },
];

/**
 * What the words of somebody mean, in ours.
 *
 * @param {SubjectName} subject
 * @param {string | undefined} word
 * @returns {Reason}
 */
export function meaningOf(subject, word) {
  if (word === undefined) return "unknown";
  if (subject === "fullstop") return /** @type {Reason} */ (word);
  const words = subject === "ai-sdk" ? AI_SDK_WORDS : PROVIDER_WORDS;
  return words[once(word)] ?? "unknown";
}

/**
 * A word that was put together of several of the same, as happens to those of the pieces of one stream.
 *
 * @param {string} word
 */
function once(word) {
  for (let length = 1; length <= word.length / 2; length++) {
    const unit = word.slice(0, length);
    if (word.length % length === 0 && unit.repeat(word.length / length) === word) return unit;
  }
  return word;
}

/** The tables of words, for the page. */
export const WORD_TABLES = [
  { whose: "AI SDK", words: AI_SDK_WORDS },
  { whose: "LangChain.js, Portkey gateway and llm-bridge, which use the words of providers", words: PROVIDER_WORDS },
];
