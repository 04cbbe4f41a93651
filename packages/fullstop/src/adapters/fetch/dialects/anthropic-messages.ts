import type { TerminationSignal } from "../../../termination.ts";
import { encodeStop } from "../../../wire/anthropic-messages/encode-response.ts";
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
    const allowance = new Allowance(keep);
    const content = editUntilCut(body["content"], allowance, (block) => cutBlock(block, allowance));
    return { ...body, content, ...stopOf(signal), fullstop: toPortableSignal(signal) };
  },
};

class MessagesStreamEditor implements StreamEditor {
  readonly #open = new Set<number>();
  #usage: JsonRecord = {};

  pass(payload: JsonRecord): void {
    const { type, index } = payload;
    if (type === "content_block_start" && typeof index === "number") this.#open.add(index);
    else if (type === "content_block_stop" && typeof index === "number") this.#open.delete(index);
    const usage = type === "message_start" ? recordOf(payload["message"])["usage"] : payload["usage"];
    if (isRecord(usage)) this.#usage = { ...this.#usage, ...usage };
  }

  cut(payload: JsonRecord, keep: number, fresh: number): string {
    this.pass(payload);
    const type = stringOf(payload["type"]);
    const allowance = new Allowance(keep);
    if (fresh <= keep) return eventFrame(type, payload);
    if (type === "content_block_delta") {
      const delta = cutDelta(recordOf(payload["delta"]), allowance);
      return keep === 0 ? "" : eventFrame(type, { ...payload, delta });
    }
    if (type !== "content_block_start") return "";
    const block = recordOf(payload["content_block"]);
    const opened = cutText(block, allowance);
    return eventFrame(type, { ...payload, content_block: opened });
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

/** A block with as much of it as may be shown. */
function cutBlock(block: JsonRecord, allowance: Allowance): JsonRecord {
  if (block["type"] !== "tool_use") return cutText(block, allowance);
  const json = jsonTextOf(block["input"]);
  const shown = allowance.take(json);
  // Half of the arguments stay text, so that nobody takes them for a call that can be run.
  return shown.length === json.length ? block : { ...block, input: shown };
}

function cutText(block: JsonRecord, allowance: Allowance): JsonRecord {
  const { text, thinking } = block;
  if (typeof text === "string") return { ...block, text: allowance.take(text) };
  return typeof thinking === "string" ? { ...block, thinking: allowance.take(thinking) } : block;
}

function cutDelta(delta: JsonRecord, allowance: Allowance): JsonRecord {
  const { partial_json: json } = delta;
  return typeof json === "string" ? { ...delta, partial_json: allowance.take(json) } : cutText(delta, allowance);
}
