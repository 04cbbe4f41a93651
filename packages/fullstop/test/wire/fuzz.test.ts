import { describe, expect, it } from "vitest";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import { createRandom } from "../support/random.ts";
import type { Random } from "../support/random.ts";
import { readRecorded } from "../support/recorded.ts";
import {
  chatCall,
  chatChunk,
  chatStream,
  converseEvent,
  dataEvents,
  geminiChunk,
  joinBytes,
  lines,
  messagesStream,
  namedEvents,
  responsesStream,
  toBytes,
} from "../support/wire-bodies.ts";

const CASES = 100_000;
const LARGEST_SEED = 6_000;

const handMade: readonly (readonly [WireFormatName, Uint8Array])[] = [
  [
    "openai-chat",
    toBytes(chatStream(chatChunk({ tool_calls: [chatCall('{"a":1}')] }), chatChunk({}, { finish_reason: "stop" }))),
  ],
  [
    "openai-responses",
    toBytes(
      responsesStream(
        "response.completed",
        { status: "completed" },
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      ),
    ),
  ],
  ["anthropic-messages", toBytes(messagesStream({ stop_reason: "end_turn" }))],
  [
    "gemini",
    toBytes(
      dataEvents(
        geminiChunk({}),
        geminiChunk({ finishReason: "STOP" }, { functionCall: { name: "f", args: { a: 1 } } }),
      ),
    ),
  ],
  ["openai-completions", toBytes(dataEvents({ choices: [{ text: "Hi", index: 0, finish_reason: "stop" }] }, "[DONE]"))],
  ["ollama-chat", toBytes(lines({ message: { content: "Hi" }, done: false }, { done: true, done_reason: "stop" }))],
  [
    "cohere-chat",
    toBytes(
      namedEvents({ type: "message-start" }, { type: "message-end", delta: { finish_reason: "COMPLETE" } } as {
        type: string;
      }),
    ),
  ],
  [
    "bedrock-converse",
    joinBytes(converseEvent("messageStart", {}), converseEvent("messageStop", { stopReason: "end_turn" })),
  ],
  [
    "gemini-interactions",
    toBytes(
      dataEvents({ event_type: "interaction.completed", interaction: { status: "completed", steps: [] } }, "[DONE]"),
    ),
  ],
  [
    "mistral-chat",
    toBytes(
      chatStream(
        chatChunk(
          { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] },
          { finish_reason: "stop" },
        ),
      ),
    ),
  ],
];

/** Long recordings would only make each case slower; what can go wrong in them goes wrong in short ones. */
const recorded = readRecorded()
  .filter(({ bytes }) => bytes.length <= LARGEST_SEED)
  .map(({ format, bytes }) => [format, bytes] as const);

/** Things that a server can send and nobody expects. */
const INTRUDERS: readonly string[] = [
  'data: {"__proto__": {"polluted": true}, "choices": [{"__proto__": {"index": 0}, "delta": {"__proto__": []}}]}\n\n',
  `data: {"choices": [{"index": 0, "delta": {"tool_calls": [{"function": {"arguments": ${"[".repeat(20_000)}${"]".repeat(20_000)}}}]}}]}\n\n`,
  `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}\n`,
  'data: {"candidates": [{"content": {"parts": [{"functionCall": {"name": 3, "args": "x"}}, null, 7, "text"]}}]}\n\n',
  'data: {"type": "content_block_start", "index": "x", "content_block": {"type": "tool_use", "input": [1]}}\n\n',
  'data: {"type": "response.output_item.added", "output_index": -1e308, "item": null}\n\n',
  'data: {"type": "response.completed", "response": {"output": [null, {"type": "message", "content": 4}], "usage": []}}\n\n',
  'data: {"event_type": "step.start", "step": {"type": "function_call", "arguments": 4}}\n\n',
  '{"message": {"tool_calls": {"length": 1e9}}, "done": "yes"}\n',
  "data: null\n\n",
  "data: 3\n\n",
  'data: "text"\n\n',
  "data: [[[]]]\n\n",
  "event: error\ndata:\n\n",
  "data: [DONE]\n\n",
  "\r\r\n\n: \uFEFF\u0000\n",
  "<html><title>\u0000</title>",
];

function mutate(random: Random, seed: Uint8Array): Uint8Array {
  const kind = random.below(6);
  if (kind === 0) return flipBytes(random, seed);
  if (kind === 1) return seed.subarray(0, random.below(seed.length + 1));
  const bytes = toBytes(mutateText(random, new TextDecoder().decode(seed), kind));
  return random.below(4) === 0 ? flipBytes(random, bytes) : bytes;
}

function flipBytes(random: Random, seed: Uint8Array): Uint8Array {
  const bytes = seed.slice();
  for (let count = 1 + random.below(8); count > 0 && bytes.length > 0; count--) {
    bytes[random.below(bytes.length)] = random.below(256);
  }
  return bytes;
}

function mutateText(random: Random, text: string, kind: number): string {
  const events = text.split("\n");
  const at = random.below(events.length + 1);
  if (kind === 2) events.splice(at, 1 + random.below(3));
  else if (kind === 3) events.splice(at, 0, events[random.below(events.length)]!, "");
  else if (kind === 4) events.splice(at, 0, INTRUDERS[random.below(INTRUDERS.length)]!);
  else events.sort(() => random.below(3) - 1);
  return events.join(random.below(5) === 0 ? "\r\n" : "\n");
}

function cut(random: Random, bytes: Uint8Array): Uint8Array[] {
  const size = [1, 7, 64, bytes.length][random.below(bytes.length > 20_000 ? 2 : 4)] ?? 1;
  const step = Math.max(1, bytes.length > 20_000 ? 5_000 : size);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += step) chunks.push(bytes.subarray(start, start + step));
  return chunks;
}

describe("streams that were tampered with", () => {
  it(`end with exactly one finish, ${CASES} times`, () => {
    const random = createRandom(20_260_915);
    const seeds = [...handMade, ...recorded];
    const formats = handMade.map(([format]) => format);
    let ended = 0;
    let unfinished = 0;
    for (let index = 0; index < CASES; index++) {
      const [format, seed] = seeds[random.below(seeds.length)]!;
      // Now and then a stream reaches the wrong decoder.
      const decoder = random.below(10) === 0 ? formats[random.below(formats.length)]! : format;
      const bytes = mutate(random, seed);
      const before = Object.prototype;
      try {
        // `tell` throws unless exactly one finish comes, and comes last.
        if (tell(decodeChunks(ANSWER_FORMATS[decoder], cut(random, bytes))).signal.shouldTerminate) ended += 1;
        else unfinished += 1;
      } catch (error) {
        throw new Error(
          `case ${index} (${decoder}): ${JSON.stringify(new TextDecoder().decode(bytes.subarray(0, 2_000)))}`,
          { cause: error },
        );
      }
      if ("polluted" in before) throw new Error(`case ${index} has changed the prototype of all objects`);
    }
    expect(ended + unfinished).toBe(CASES);
    // Only a provider that reports work in progress leaves an answer open, which few of these do.
    expect(ended).toBeGreaterThan(0.99 * CASES);
  });

  it("hold no more memory than the limit, whatever the length of a line", () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x61);
    const options = { maxEventSize: 1024 * 1024 };
    for (const [format] of handMade) {
      for (const opening of ["data: ", ": ", '{"a":"', "<p>", "event: "]) {
        const finishes: string[] = [];
        const sink = ANSWER_FORMATS[format].decodeStream(options)({
          push: (event) => void (event.type === "finish" && finishes.push(event.signal.reason)),
          end: () => undefined,
        });
        sink.push(toBytes(opening));
        const before = process.memoryUsage().heapUsed;
        for (let sent = 0; sent < 50 * 1024 * 1024; sent += chunk.length) sink.push(chunk);
        const grown = process.memoryUsage().heapUsed - before;
        sink.end();
        expect(finishes).toEqual(["error_termination"]);
        // Garbage that was not collected yet counts as well, so the bound is a loose one.
        expect(grown).toBeLessThan(40 * 1024 * 1024);
      }
    }
  });
});
