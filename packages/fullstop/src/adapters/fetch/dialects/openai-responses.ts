import type { TerminationSignal } from "../../../termination.ts";
import { isRecord, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { toResponseEnding } from "../../../wire/openai-responses/finish.ts";
import type { ResponseEnding } from "../../../wire/openai-responses/finish.ts";
import { toPortableSignal } from "../../../wire/writing/finish.ts";
import { eventFrame } from "../../../wire/writing/frames.ts";
import { Allowance, cutEscaped, without } from "./editor.ts";
import type { AnswerEditor, ReadCounts, StreamEditor, Unread } from "./editor.ts";
import { UnreadItems, callAsDelta, emptyEvent } from "./openai-responses-events.ts";
import { INPUT_OPENING, ItemCutter, isClientCall } from "./openai-responses-items.ts";
import { OutputTracker, isDelta } from "./openai-responses-output.ts";
import { toDelta } from "./openai-responses-whole.ts";

/** Ends answers in OpenAI Responses. */
export const responsesEditor: AnswerEditor = {
  openStream: () => new ResponsesStreamEditor(),
  isEvent: ({ type }) => stringOf(type).startsWith("response."),
  cutAnswer(body, keep, signal) {
    const items = new ItemCutter(new Allowance(keep)).cutAll(body["output"]);
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
  readonly #unread = new UnreadItems();
  #response: JsonRecord = { object: "response" };
  /** The output of a response that came as a whole and in which the end falls, and how much of what is new may be shown. */
  #whole: { readonly output: unknown; readonly keep: number } | undefined;
  #sequence = 0;

  follow(payload: JsonRecord, { all }: ReadCounts): Unread | undefined {
    if (LAST_EVENTS.has(stringOf(payload["type"]))) this.#unread.readAll(all);
    return this.#unread.follow(payload, all);
  }

  pass(payload: JsonRecord): void {
    const { sequence_number: number, response } = payload;
    if (typeof number === "number") this.#sequence = number + 1;
    if (isRecord(response)) this.#response = response;
    this.#output.read(payload);
  }

  cut(event: JsonRecord, keep: number, fresh: number): string {
    const payload = without(event, "fullstop");
    const type = stringOf(payload["type"]);
    if (LAST_EVENTS.has(type)) {
      const response = recordOf(payload["response"]);
      this.#response = response;
      if (fresh > 0 || this.#output.isEmpty) this.#whole = { output: response["output"], keep };
      return "";
    }
    if (fresh <= keep) return this.#show(payload);
    if (isDelta(type)) return this.#cutDelta(payload, keep);
    // A server that sends nothing, or not all, before its texts, its items or the response are whole.
    const whole = toDelta(payload);
    if (whole !== undefined) {
      return whole.delta === this.#output.knownOf(whole) ? this.#show(payload) : this.#cutWhole(whole, keep);
    }
    if (type === "response.output_item.done") return this.#cutItem(payload, keep);
    const empty = emptyEvent(payload);
    return empty === undefined ? "" : this.#show(empty);
  }

  end(signal: TerminationSignal): string {
    const isWhole = toResponseEnding(signal).word.status === "completed";
    const closing = this.#output.close(isWhole).map(({ type, ...fields }) => this.#frame(stringOf(type), fields));
    const items = this.#items();
    const ending = endingOf(signal, items);
    const shown = this.#output.hasSaid(items) ? items : [];
    const output = this.#whole === undefined ? shown : completeLast(items, ending);
    const response = endResponse(this.#response, output, ending, signal);
    return [...closing, this.#frame(ending.event, { response })].join("");
  }

  #items(): readonly JsonRecord[] {
    if (this.#whole === undefined) return this.#output.items;
    const { output, keep } = this.#whole;
    return new ItemCutter(new Allowance(keep), this.#output.toldOfAll(output)).cutAll(output);
  }

  #cutItem(payload: JsonRecord, keep: number): string {
    const item = recordOf(payload["item"]);
    if (isClientCall(item)) {
      const call = callAsDelta(payload);
      if (call === undefined || keep <= 0) return "";
      if (this.#output.hasCall(payload)) return this.#cutWhole(call.delta, keep);
      const opening = item["type"] === "custom_tool_call" ? INPUT_OPENING.length : 0;
      const announced = this.#show(call.added);
      const number = "sequence_number" in payload ? { sequence_number: this.#sequence } : {};
      return announced + this.#cutDelta({ ...call.delta, ...number }, keep - opening);
    }
    const shown = new ItemCutter(new Allowance(keep), this.#output.toldOf(payload)).cut(item);
    return shown === undefined ? "" : this.#show({ ...payload, item: shown });
  }

  /** What is new in a text that is said once more stands at its end. */
  #cutWhole(whole: JsonRecord & { readonly delta: string }, keep: number): string {
    const known = this.#output.knownOf(whole);
    return whole.delta.startsWith(known)
      ? this.#cutDelta({ ...whole, delta: whole.delta.slice(known.length) }, keep)
      : "";
  }

  #cutDelta(payload: JsonRecord, keep: number): string {
    const whole = stringOf(payload["delta"]);
    // Arguments that are text are counted as the JSON that they are read as.
    const isText = payload["type"] === "response.custom_tool_call_input.delta";
    const delta = isText ? cutEscaped(whole, keep) : whole.slice(0, Math.max(0, keep));
    if (delta === "") return "";
    if (delta === whole) return this.#show(payload);
    const shown = { ...without(payload, "obfuscation"), delta };
    return this.#show("logprobs" in payload ? { ...shown, logprobs: [] } : shown);
  }

  #show(payload: JsonRecord): string {
    this.pass(payload);
    return eventFrame(stringOf(payload["type"]), payload);
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
  const hasHalfCall = items.some((item) => item["status"] === "incomplete" && isClientCall(item));
  if (word.status !== "completed" || !hasHalfCall) return word;
  return { status: "incomplete", event: "response.incomplete", incompleteReason: "max_output_tokens" };
}

/** The last item of a whole answer is as complete as the answer is. */
function completeLast(items: readonly JsonRecord[], { status }: ResponseEnding): readonly JsonRecord[] {
  const last = items.at(-1);
  if (last === undefined || status === "completed" || !("status" in last)) return items;
  return [...items.slice(0, -1), { ...last, status: "incomplete" }];
}
