import type { PlaygroundSettings } from "./settings.ts";

/** Something to try: what to ask, with which settings. */
export interface Example {
  readonly title: string;
  readonly prompt: string;
  readonly settings: Partial<PlaygroundSettings>;
}

const PLAIN: Partial<PlaygroundSettings> = {
  stop: [],
  endsLoops: true,
  thinks: false,
  offersTool: false,
  maxTokens: null,
  maxThinkingTokens: null,
};

/** Five ways in which an answer can end. */
export const EXAMPLES: readonly Example[] = [
  { title: "Count to 100", prompt: "Count from 1 to 100", settings: PLAIN },
  {
    title: "Think forever",
    prompt: "Now get stuck thinking about islands",
    settings: { ...PLAIN, thinks: true, endsLoops: false, maxTokens: 3000 },
  },
  {
    title: "Say it again and again",
    prompt: "Say I am going around in circles forever",
    settings: PLAIN,
  },
  {
    title: "Answer in tags",
    prompt: "What number comes before 395? Use <answer></answer>.",
    settings: { ...PLAIN, stop: ["</answer>"] },
  },
  { title: "Use a tool", prompt: "What is the weather in Oslo?", settings: { ...PLAIN, offersTool: true } },
];
