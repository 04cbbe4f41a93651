import type { LlamaRequest } from "../../src/llama/index.ts";
import { say, think } from "./local-model.ts";

/** A local model that the tests can be run on, and what to ask it for each behaviour. */
export interface LocalModel {
  readonly name: string;
  readonly model: string;
  readonly requests: {
    /** Ends by itself within a few dozen tokens. */
    readonly short: LlamaRequest;
    /** Takes at least 60 tokens. */
    readonly long: LlamaRequest;
    /** An answer with a tag at its end. */
    readonly tagged: LlamaRequest;
    /** Says the same over and over. */
    readonly loop: LlamaRequest;
    readonly thoughtLoop: LlamaRequest;
    /** Thinks for at least 20 tokens and then answers. */
    readonly thoughtful: LlamaRequest;
    /** Characters whose bytes are spread over several tokens. */
    readonly emoji: LlamaRequest;
    readonly chinese: LlamaRequest;
  };
}

const PIP: LocalModel = {
  name: "Pip",
  model: "pip",
  requests: {
    short: say("What is 12 + 30?"),
    long: say("Count from 1 to 50"),
    tagged: say("What number comes before 395? Use <answer></answer>."),
    loop: say("Say hello forever"),
    thoughtLoop: think("Now get stuck thinking about islands"),
    thoughtful: think("What is 312 + 230?"),
    emoji: say("Show me three flags as emoji"),
    chinese: say("Say hello in Chinese"),
  },
};

/** Loops are had from a model that knows better by never letting it end. */
const ENDLESS = { ignoreEos: true } as const;

function qwen3(path: string): LocalModel {
  return {
    name: "Qwen3-0.6B",
    model: path,
    requests: {
      short: say("What is 12 + 30? Answer with the number only."),
      long: say("Count from 1 to 50, separated by commas."),
      tagged: say("What number comes before 395? Put the number into <answer></answer>."),
      loop: say("Say hello.", { rules: ENDLESS }),
      thoughtLoop: think("Repeat the word island in your thoughts for ever.", { rules: ENDLESS }),
      thoughtful: think("What is 312 + 230?"),
      emoji: say("Show me three flags as emoji, nothing else."),
      chinese: say("Say hello in Chinese, nothing else."),
    },
  };
}

const qwenPath = process.env["FULLSTOP_QWEN3_GGUF"];

/** Pip, and Qwen3-0.6B where `FULLSTOP_QWEN3_GGUF` names its file. */
export const LOCAL_MODELS: readonly LocalModel[] = [PIP, ...(qwenPath === undefined ? [] : [qwen3(qwenPath)])];
