/**
 * Asks a provider through another library, in a process of its own because these want a newer Node than the tests run
 * on: `node ask-peer.ts <ai-sdk|langchain> <address> [stop]`. What came of it is printed as JSON. With `stop` it is
 * stopped once text has come.
 */
import { createOpenAI } from "@ai-sdk/openai";
import { ChatOpenAI } from "@langchain/openai";
import { streamText } from "ai";

/** What a library makes of an answer. */
export interface PeerAnswer {
  /** What was read as it came. */
  readonly shown: string;
  /** The text that the library holds at the end; undefined where it gives none. */
  readonly text: string | undefined;
  /** The library's word for the ending. */
  readonly ending: unknown;
  /** How often it has said that all is over, and that it was stopped. */
  readonly told: readonly string[];
  readonly error: string | undefined;
}

/** More strings than a provider takes. */
const STOPS = ["</answer>", "</final>", "Question:", "Observation:", "Human:"];
const PROMPT = "Six times seven?";

const [peer, baseURL = "", wish] = process.argv.slice(2);
const ask = peer === "ai-sdk" ? askAiSdk : askLangchain;
console.log(JSON.stringify(await ask(wish === "stop" ? new AbortController() : undefined)));

async function askAiSdk(stop: AbortController | undefined): Promise<PeerAnswer> {
  const told: string[] = [];
  const result = streamText({
    model: createOpenAI({ baseURL, apiKey: "none" }).chat("some-model"),
    prompt: PROMPT,
    stopSequences: STOPS,
    maxRetries: 0,
    ...(stop !== undefined && { abortSignal: stop.signal }),
    onAbort: ({ steps }) => void told.push(`abort with ${steps.length} steps`),
    onEnd: () => void told.push("end"),
    onError: () => void told.push("error"),
  });
  let shown = "";
  for await (const text of result.textStream) {
    shown += text;
    stop?.abort();
  }
  const [text, ending] = await Promise.allSettled([result.text, result.finishReason]);
  return {
    shown,
    told,
    text: text.status === "fulfilled" ? text.value : undefined,
    ending: ending.status === "fulfilled" ? ending.value : undefined,
    error: text.status === "rejected" ? String(text.reason) : undefined,
  };
}

async function askLangchain(stop: AbortController | undefined): Promise<PeerAnswer> {
  const model = new ChatOpenAI({ model: "some-model", apiKey: "none", configuration: { baseURL }, maxRetries: 0 });
  const options = { stop: STOPS, ...(stop !== undefined && { signal: stop.signal }) };
  let shown = "";
  let ending: unknown;
  try {
    for await (const chunk of await model.stream(PROMPT, options)) {
      shown += chunk.text;
      ending = chunk.response_metadata["finish_reason"] ?? ending;
      if (shown !== "") stop?.abort();
    }
  } catch (error) {
    return { shown, text: undefined, ending, told: [], error: String(error) };
  }
  return { shown, text: shown, ending, told: [], error: undefined };
}
