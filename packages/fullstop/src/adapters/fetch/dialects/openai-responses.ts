import type { TerminationSignal } from "../../../termination.ts";
import { isRecord, jsonTextOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { toResponseEnding } from "../../../wire/openai-responses/finish.ts";
import type { ResponseEnding } from "../../../wire/openai-responses/finish.ts";
import { toPortableSignal } from "../../../wire/writing/finish.ts";
import { eventFrame } from "../../../wire/writing/frames.ts";
import { Allowance, cutAnnotations, editUntilCut, without } from "./editor.ts";
import type { AnswerEditor, StreamEditor } from "./editor.ts";
import { OutputTracker } from "./openai-responses-output.ts";
import { toDelta } from "./openai-responses-whole.ts";

/** Ends answers in OpenAI Responses. */
export const responsesEditor: AnswerEditor = {
  openStream: () => new ResponsesStreamEditor(),
  isEvent: ({ type }) => stringOf(type).startsWith("response."),
  cutAnswer(body, keep, signal) {
    const items = cutItems(body["output"], new Allowance(keep));
    const ending = endingOf(signal, items);
    return endResponse(body, completeLast(items, ending), ending, signal);
  },
};

const LAST_EVENTS: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
  "response.done",
]);

class ResponsesStreamEditor implements StreamEditor {
  readonly #output = new OutputTracker();
  #response: JsonRecord = { object: "response" };
  #sequence = 0;

  pass(payload: JsonRecord): void {
    const { sequence_number: number, response } = payload;
    if (typeof number === "number") this.#sequence = number + 1;
    if (isRecord(response)) this.#response = response;
    this.#output.read(payload);
  }

  cut(payload: JsonRecord, keep: number, fresh: number): string {
    const type = stringOf(payload["type"]);
    const isLast = LAST_EVENTS.has(type);
    if (fresh <= keep && !isLast) {
      this.pass(payload);
      return eventFrame(type, payload);
    }
    if (type.endsWith(".delta")) return this.#cutDelta(payload, keep);
    // A server that sends nothing, or not all, before its texts, its items or the response are whole. What is new in
    // them stands at their end.
    const whole = toDelta(payload);
    if (whole !== undefined) {
      const text = stringOf(whole["delta"]);
      return this.#cutDelta({ ...whole, delta: text.slice(Math.max(0, text.length - fresh)) }, keep);
    }
    if (type === "response.output_item.done" && keep > 0) {
      const item = recordOf(payload["item"]);
      const event = { ...payload, item: cutItem(item, new Allowance(lengthOf(item) - fresh + keep)) };
      this.pass(event);
      return eventFrame(type, event);
    }
    const response = recordOf(payload["response"]);
    if (isLast && this.#output.isEmpty) this.#output.fill(cutItems(response["output"], new Allowance(keep)));
    if (isLast) this.#response = response;
    return "";
  }

  end(signal: TerminationSignal): string {
    const isWhole = toResponseEnding(signal).word.status === "completed";
    const closing = this.#output.close(isWhole).map(({ type, ...fields }) => this.#frame(stringOf(type), fields));
    const ending = endingOf(signal, this.#output.items);
    const response = endResponse(this.#response, this.#output.items, ending, signal);
    return [...closing, this.#frame(ending.event, { response })].join("");
  }

  #cutDelta(payload: JsonRecord, keep: number): string {
    const delta = stringOf(payload["delta"]).slice(0, keep);
    if (delta === "") return "";
    const shown = { ...without(payload, "obfuscation"), delta };
    const event = "logprobs" in payload ? { ...shown, logprobs: [] } : shown;
    this.pass(event);
    return eventFrame(stringOf(payload["type"]), event);
  }

  #frame(type: string, fields: JsonRecord): string {
    return eventFrame(type, { sequence_number: this.#sequence++, ...fields });
  }
}

function endResponse(
  response: JsonRecord,
  output: readonly unknown[],
  { status, incompleteReason }: ResponseEnding,
  signal: TerminationSignal,
): JsonRecord {
  return {
    ...without(response, "output_text"),
    status,
    error: null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    output,
    fullstop: toPortableSignal(signal),
  };
}

/** How a response ends. One with half a call in it is not complete, and clients would run the call if it said so. */
function endingOf(signal: TerminationSignal, items: readonly JsonRecord[]): ResponseEnding {
  const { word } = toResponseEnding(signal);
  const hasHalfCall = items.some(({ type, status }) => type === "function_call" && status === "incomplete");
  if (word.status !== "completed" || !hasHalfCall) return word;
  return { status: "incomplete", event: "response.incomplete", incompleteReason: "max_output_tokens" };
}

/** The last item of a whole answer is as complete as the answer is. */
function completeLast(items: readonly JsonRecord[], { status }: ResponseEnding): readonly JsonRecord[] {
  const last = items.at(-1);
  if (last === undefined || status === "completed" || !("status" in last)) return items;
  return [...items.slice(0, -1), { ...last, status: "incomplete" }];
}

function cutItems(output: unknown, allowance: Allowance): readonly JsonRecord[] {
  return editUntilCut(output, allowance, (item) => cutItem(item, allowance));
}

/** An item with as much of it as may be shown, in the order in which it is read. */
function cutItem(item: JsonRecord, allowance: Allowance): JsonRecord {
  const { summary, content, arguments: json } = item;
  if (item["type"] === "function_call") {
    const shown = allowance.take(jsonTextOf(json));
    return shown === json ? item : { ...item, arguments: shown, status: "incomplete" };
  }
  const cutTexts = (parts: unknown): readonly JsonRecord[] =>
    editUntilCut(parts, allowance, (part) => cutPart(part, allowance));
  return {
    ...item,
    ...(Array.isArray(summary) && { summary: cutTexts(summary) }),
    ...(Array.isArray(content) && { content: cutTexts(content) }),
  };
}

/** How many characters of an item are read. */
function lengthOf(item: JsonRecord): number {
  const all = new Allowance(Infinity);
  cutItem(item, all);
  return all.taken;
}

function cutPart(part: JsonRecord, allowance: Allowance): JsonRecord {
  const { text, refusal, annotations } = part;
  if (typeof refusal === "string") return { ...part, refusal: allowance.take(refusal) };
  if (typeof text !== "string") return part;
  const shown = allowance.take(text);
  if (shown === text) return part;
  return {
    ...part,
    text: shown,
    ...("logprobs" in part && { logprobs: [] }),
    ...(Array.isArray(annotations) && { annotations: cutAnnotations(annotations, shown.length) }),
  };
}
