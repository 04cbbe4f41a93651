import { DONE, payloadsOf, read, readList } from "./official.ts";
import type { Dialect, Json } from "./official.ts";

/** A tool call as a reader of an answer sees it. */
export interface FoldedCall {
  readonly id: unknown;
  readonly name: unknown;
  /** The JSON text of its arguments, or the arguments themselves where the dialect has no text for them. */
  input: unknown;
}

/** What a reader of an answer makes of it: enough to compare a stream, a whole answer and the events behind both. */
export interface Folded {
  text: string;
  reasoning: string;
  readonly signatures: unknown[];
  /** Parts that were written as they came. */
  readonly opaque: unknown[];
  readonly calls: FoldedCall[];
  finish: unknown;
  usage: unknown;
}

const nothing = (): Folded => ({
  text: "",
  reasoning: "",
  signatures: [],
  opaque: [],
  calls: [],
  finish: undefined,
  usage: undefined,
});

/** Reads the frames of a stream, holding them to the grammar of the dialect on the way. */
export function foldStream(dialect: Dialect, frames: readonly string[]): Folded {
  const payloads = payloadsOf(frames);
  return FOLDS[dialect](payloads);
}

const FOLDS: Readonly<Record<Dialect, (payloads: readonly Json[]) => Folded>> = {
  "openai-chat": foldChat,
  "openai-responses": foldResponses,
  "anthropic-messages": foldAnthropic,
  gemini: foldGemini,
};

function require(condition: boolean, rule: string, payload: unknown): asserts condition {
  if (!condition) throw new Error(`${rule}: ${JSON.stringify(payload)}`);
}

function stringAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = read(value, ...path);
  return typeof found === "string" ? found : "";
}

function foldChat(payloads: readonly Json[]): Folded {
  const folded = nothing();
  let state: "new" | "open" | "finished" | "done" = "new";
  for (const payload of payloads) {
    require(state !== "done", "nothing follows the end", payload);
    if (payload === DONE || "error" in payload) {
      require(state === "finished" || "error" in payload, "[DONE] follows a finish", payload);
      if ("error" in payload) folded.finish = "error";
      state = "done";
      continue;
    }
    const [choice] = readList(payload, "choices");
    if (choice === undefined) {
      require(state === "finished", "usage follows the finish", payload);
      folded.usage = payload["usage"];
      continue;
    }
    const delta = read(choice, "delta");
    require(state !== "finished", "nothing follows the finish", payload);
    require((state === "new") === (read(delta, "role") === "assistant"), "the first chunk has the role", payload);
    state = "open";
    folded.text += stringAt(delta, "content");
    folded.reasoning += stringAt(delta, "reasoning_content");
    for (const part of readList(delta, "tool_calls")) {
      const index = Number(part["index"]);
      const known = folded.calls[index];
      require(known !== undefined || index === folded.calls.length, "calls are numbered in order", payload);
      if (known === undefined) {
        folded.calls.push({ id: part["id"], name: read(part, "function", "name"), input: "" });
      } else {
        known.input = String(known.input) + stringAt(part, "function", "arguments");
        const proof = read(part, "extra_content", "google", "thought_signature");
        if (proof !== undefined) folded.signatures.push(proof);
      }
    }
    if ("fullstop" in payload) {
      folded.finish = choice["finish_reason"];
      state = "finished";
    }
  }
  require(state === "done", "the stream has an end", payloads.at(-1));
  return folded;
}

function foldAnthropic(payloads: readonly Json[]): Folded {
  const folded = nothing();
  let state: "new" | "open" | "finished" | "done" = "new";
  let block: Json | undefined;
  let count = 0;
  for (const payload of payloads) {
    const { type, index, delta } = payload;
    require(state !== "done", "nothing follows the end", payload);
    switch (type) {
      case "message_start":
        require(state === "new", "a message starts once", payload);
        state = "open";
        break;
      case "content_block_start":
        require(state === "open" && block === undefined && index === count, "one block after the other", payload);
        block = read(payload, "content_block") as Json;
        if (block["type"] === "redacted_thinking") folded.signatures.push(block["data"]);
        if (block["type"] === "tool_use") folded.calls.push({ id: block["id"], name: block["name"], input: "" });
        if (!OWN_BLOCKS.has(block["type"])) folded.opaque.push(block);
        break;
      case "content_block_delta": {
        require(block !== undefined && index === count, "a delta belongs to the open block", payload);
        const kinds: Record<string, string> = {
          text_delta: "text",
          thinking_delta: "thinking",
          signature_delta: "thinking",
          input_json_delta: "tool_use",
        };
        require(kinds[stringAt(delta, "type")] === block["type"], "a delta fits its block", payload);
        folded.text += stringAt(delta, "text");
        folded.reasoning += stringAt(delta, "thinking");
        if (read(delta, "signature") !== undefined) folded.signatures.push(read(delta, "signature"));
        const call = folded.calls.at(-1);
        if (call !== undefined) call.input = String(call.input) + stringAt(delta, "partial_json");
        break;
      }
      case "content_block_stop":
        require(block !== undefined && index === count, "the open block stops", payload);
        block = undefined;
        count += 1;
        break;
      case "message_delta":
        require(state === "open" && block === undefined, "the message ends between blocks", payload);
        folded.finish = read(delta, "stop_reason");
        folded.usage = payload["usage"];
        state = "finished";
        break;
      case "message_stop":
        require(state === "finished", "the message stops after its delta", payload);
        state = "done";
        break;
      case "error":
        require(state === "new" || state === "open", "an error comes instead of an ending", payload);
        folded.finish = "error";
        state = "done";
        break;
      default:
        require(false, "every event is known", payload);
    }
  }
  require(state === "done", "the stream has an end", payloads.at(-1));
  return folded;
}

/** The blocks that are made of events; any other has come as it is. */
const OWN_BLOCKS: ReadonlySet<unknown> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const OWN_ITEMS: ReadonlySet<unknown> = new Set(["message", "reasoning", "function_call"]);

function foldResponses(payloads: readonly Json[]): Folded {
  const open = new Map<unknown, string>();
  const openParts = new Set<unknown>();
  const done: unknown[] = [];
  let added = 0;
  for (const [number, payload] of payloads.entries()) {
    const type = String(payload["type"]);
    const { output_index: position, item } = payload;
    require(payload["sequence_number"] === number, "events are numbered without gaps", payload);
    require((number === 0) === (type === "response.created"), "the first event creates the response", payload);
    const isLast = /^response\.(?:completed|incomplete|failed)$/u.test(type);
    require((number === payloads.length - 1) === isLast, "one event ends the stream, the last", payload);
    if (type === "response.output_item.added") {
      require(position === added++, "items are numbered in order", payload);
      open.set(position, "");
    } else if (type === "response.output_item.done") {
      require(open.delete(position), "an item that is done was open", payload);
      require(!openParts.has(position), "the part of an item that is done is done", payload);
      done[Number(position)] = item;
    } else if (position !== undefined) {
      const known = open.get(position);
      require(known !== undefined, "an event is about an open item", payload);
      if (type.endsWith("_part.added")) openParts.add(position);
      if (type.endsWith("_part.done")) require(openParts.delete(position), "a part that is done was open", payload);
      if (type.endsWith(".delta")) open.set(position, known + stringAt(payload, "delta"));
      else if (type.endsWith("_part.done")) require(read(payload, "part", "text") === known, "a part adds up", payload);
      else if (type.endsWith("_text.done")) require(payload["text"] === known, "a text adds up", payload);
      else if (type.endsWith("arguments.done")) require(payload["arguments"] === known, "a call adds up", payload);
    }
  }
  require(open.size === 0, "every item is done", payloads.at(-1));
  const response = payloads.at(-1)?.["response"];
  require(JSON.stringify(done) === JSON.stringify(read(response, "output")), "the response has its items", response);
  return foldBody("openai-responses", response);
}

function foldGemini(payloads: readonly Json[]): Folded {
  const folded = nothing();
  for (const payload of payloads) {
    require(folded.finish === undefined, "nothing follows the finish", payload);
    if ("error" in payload) {
      folded.finish = "error";
      continue;
    }
    const chunk = foldBody("gemini", payload);
    folded.text += chunk.text;
    folded.reasoning += chunk.reasoning;
    folded.signatures.push(...chunk.signatures);
    folded.opaque.push(...chunk.opaque);
    folded.calls.push(...chunk.calls);
    folded.finish = chunk.finish;
    folded.usage = chunk.usage;
  }
  require(folded.finish !== undefined, "the stream has an end", payloads.at(-1));
  return folded;
}

/** Reads a whole answer. */
export function foldBody(dialect: Dialect, body: unknown): Folded {
  const folded = nothing();
  const error = read(body, "error");
  const isError = dialect === "openai-responses" ? read(body, "status") === undefined : error !== undefined;
  if (isError) return { ...folded, finish: "error" };
  switch (dialect) {
    case "openai-chat": {
      const message = read(body, "choices", 0, "message");
      folded.text = stringAt(message, "content");
      folded.reasoning = stringAt(message, "reasoning_content");
      for (const call of readList(message, "tool_calls")) {
        const { name, arguments: input } = call["function"] as Json;
        folded.calls.push({ id: call["id"], name, input });
        const proof = read(call, "extra_content", "google", "thought_signature");
        if (proof !== undefined) folded.signatures.push(proof);
      }
      return { ...folded, finish: read(body, "choices", 0, "finish_reason"), usage: read(body, "usage") };
    }
    case "anthropic-messages":
      for (const block of readList(body, "content")) {
        const { type, text, thinking, signature, data, id, name, input } = block;
        if (!OWN_BLOCKS.has(type)) folded.opaque.push(block);
        folded.text += stringAt(text);
        folded.reasoning += stringAt(thinking);
        if (type === "redacted_thinking") folded.signatures.push(data);
        else if (signature !== undefined && signature !== "") folded.signatures.push(signature);
        if (type === "tool_use") folded.calls.push({ id, name, input });
      }
      return { ...folded, finish: read(body, "stop_reason"), usage: read(body, "usage") };
    case "openai-responses":
      for (const item of readList(body, "output")) {
        if (!OWN_ITEMS.has(item["type"])) folded.opaque.push(item);
        folded.text += stringAt(item, "content", 0, "text");
        folded.reasoning += stringAt(item, "summary", 0, "text");
        const { type, encrypted_content: signature, call_id: id, name, arguments: input } = item;
        if (signature !== undefined) folded.signatures.push(signature);
        if (type === "function_call") folded.calls.push({ id, name, input });
      }
      return { ...folded, finish: read(body, "status"), usage: read(body, "usage") };
    default:
      for (const part of readList(body, "candidates", 0, "content", "parts")) {
        if (!("text" in part || "functionCall" in part)) folded.opaque.push(part);
        if (part["thought"] === true) folded.reasoning += stringAt(part, "text");
        else folded.text += stringAt(part, "text");
        const { functionCall: call, thoughtSignature: signature } = part;
        if (signature !== undefined) folded.signatures.push(signature);
        if (call !== undefined) {
          folded.calls.push({ id: read(call, "id"), name: read(call, "name"), input: read(call, "args") });
        }
      }
      return { ...folded, finish: read(body, "candidates", 0, "finishReason"), usage: read(body, "usageMetadata") };
  }
}
