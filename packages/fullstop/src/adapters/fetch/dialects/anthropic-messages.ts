import type { TerminationSignal } from "../../../termination.ts";
import { encodeStop } from "../../../wire/anthropic-messages/ending.ts";
import { toAnthropicStop } from "../../../wire/anthropic-messages/finish.ts";
import { isRecord, jsonTextOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { toPortableSignal } from "../../../wire/writing/finish.ts";
import { eventFrame } from "../../../wire/writing/frames.ts";
import { Allowance, editUntilCut, without } from "./editor.ts";
import type { AnswerEditor, StreamEditor } from "./editor.ts";

/** Ends answers in Anthropic Messages. */
export const messagesEditor: AnswerEditor = {
  openStream: () => new MessagesStreamEditor(),
  isEvent: ({ type }) => type !== "message",
  cutAnswer(body, keep, signal) {
    return { ...cutMessage(body, new Allowance(keep)), ...stopOf(signal), fullstop: toPortableSignal(signal) };
  },
};

/** The field that is read, by the type of a block or of a piece of one. What the provider does itself has none. */
const TEXT_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ["text", "text"],
  ["thinking", "thinking"],
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "partial_json"],
]);

class MessagesStreamEditor implements StreamEditor {
  readonly #open = new Set<number>();
  #usage: JsonRecord = {};

  follow(): undefined {
    return undefined;
  }

  pass(payload: JsonRecord): void {
    const { type, index } = payload;
    if (type === "content_block_start" && typeof index === "number") this.#open.add(index);
    else if (type === "content_block_stop" && typeof index === "number") this.#open.delete(index);
    const usage = type === "message_start" ? recordOf(payload["message"])["usage"] : payload["usage"];
    if (isRecord(usage)) this.#usage = { ...this.#usage, ...usage };
  }

  cut(event: JsonRecord, keep: number, fresh: number): string {
    this.pass(event);
    const payload = without(event, "fullstop");
    const type = stringOf(payload["type"]);
    const allowance = new Allowance(keep);
    if (fresh <= keep && type !== "message") return eventFrame(type, payload);
    switch (type) {
      case "content_block_delta": {
        const delta = cutText(recordOf(payload["delta"]), allowance);
        return keep === 0 ? "" : eventFrame(type, { ...payload, delta });
      }
      case "content_block_start": {
        const block = cutBlock(recordOf(payload["content_block"]), allowance);
        return eventFrame(type, { ...payload, content_block: block });
      }
      case "message_start":
        return eventFrame(type, { ...payload, message: cutMessage(recordOf(payload["message"]), allowance) });
      case "message":
        return eventFrame(type, { ...cutMessage(payload, allowance), stop_reason: null, stop_sequence: null });
      default:
        return "";
    }
  }

  end(signal: TerminationSignal): string {
    const stops = [...this.#open].map((index) => eventFrame("content_block_stop", { index }));
    const usage = { output_tokens: 0, ...without(this.#usage, "service_tier", "inference_geo") };
    const last = eventFrame("message_delta", { delta: stopOf(signal), usage, fullstop: toPortableSignal(signal) });
    return [...stops, last, eventFrame("message_stop")].join("");
  }
}

function stopOf(signal: TerminationSignal): JsonRecord {
  return encodeStop(toAnthropicStop(signal).word ?? null, signal);
}

/** A message with as much of its blocks as may be shown. */
function cutMessage(message: JsonRecord, allowance: Allowance): JsonRecord {
  const content = editUntilCut(message["content"], allowance, (block) => cutBlock(block, allowance));
  return { ...message, content };
}

/** A block with as much of it as may be shown. */
function cutBlock(block: JsonRecord, allowance: Allowance): JsonRecord {
  if (block["type"] !== "tool_use") return cutText(block, allowance);
  const json = jsonTextOf(block["input"]);
  const shown = allowance.take(json);
  // Half of the arguments stay text, so that nobody takes them for a call that can be run.
  return shown.length === json.length ? block : { ...block, input: shown };
}

function cutText(block: JsonRecord, allowance: Allowance): JsonRecord {
  const field = TEXT_FIELDS.get(block["type"]);
  if (field === undefined) return block;
  const text = stringOf(block[field]);
  const shown = allowance.take(text);
  return shown.length === text.length ? block : { ...block, [field]: shown };
}
