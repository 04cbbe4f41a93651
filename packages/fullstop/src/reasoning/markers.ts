/** The two strings with which a model frames its thinking. */
export interface ReasoningMarkers {
  readonly open: string;
  readonly close: string;
}

/** Markers that are single tokens of a tokenizer, with their ids. */
export interface ReasoningTokenMarkers extends ReasoningMarkers {
  readonly openId: number;
  readonly closeId: number;
}

/**
 * The markers of known models. Where a tokenizer has several pairs the first one counts, so the order matters:
 * the most common come first.
 */
export const REASONING_MARKERS: readonly ReasoningMarkers[] = [
  // Qwen3, DeepSeek-R1, GLM and most other open models.
  { open: "<think>", close: "</think>" },
  // Mistral's Magistral.
  { open: "[THINK]", close: "[/THINK]" },
  // Fine-tunes and prompts that ask for it.
  { open: "<thinking>", close: "</thinking>" },
  { open: "<reasoning>", close: "</reasoning>" },
  { open: "<thought>", close: "</thought>" },
  // Seed-OSS.
  { open: "<seed:think>", close: "</seed:think>" },
  // Cohere's Command A Reasoning.
  { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
  // Kimi-VL Thinking.
  { open: "◁think▷", close: "◁/think▷" },
];

/**
 * Asks a tokenizer for the known markers and returns the first pair of which both are tokens of their own, or
 * nothing: half a pair is no pair, and a model whose tokenizer spells its markers out needs the splitter by text.
 */
export function detectReasoningMarkers(
  tokenToId: (token: string) => number | null | undefined,
): ReasoningTokenMarkers | undefined {
  for (const { open, close } of REASONING_MARKERS) {
    const openId = tokenToId(open);
    const closeId = tokenToId(close);
    if (typeof openId === "number" && typeof closeId === "number") return { open, close, openId, closeId };
  }
  return undefined;
}
