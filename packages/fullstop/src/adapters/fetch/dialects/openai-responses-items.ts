import { jsonTextOf, listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import {
  callIdOf,
  clientCallOf,
  hasPieces,
  hasTexts,
  isBroken,
  isHosted,
} from "../../../wire/openai-responses/decode-item.ts";
import type { TextKind } from "../../../wire/openai-responses/told-texts.ts";
import { cutAnnotations, cutEscaped } from "./editor.ts";
import type { Allowance } from "./editor.ts";

/** A text of an item, where it is read from the item itself. */
interface ItemText {
  readonly kind: TextKind;
  readonly index: number;
  readonly text: string;
}

/** What of the output has been read before, so that nothing of it counts once more. */
export interface ToldOutput {
  /** What is known of a text whose place among the parts of its item is given. */
  textOf(kind: TextKind, index: number, whole: string): string;
  /** Whether a call is known, so that it is not read once more. Asked once for each call, in their order. */
  hasCall(item: JsonRecord): boolean;
  /** The call that was last found to be known. */
  knownCall(): KnownCall;
}

/** A call that has come before. */
interface KnownCall {
  /** The item as it stands; undefined if another has taken its place since. */
  readonly item: JsonRecord | undefined;
  /** What has come of its arguments, as JSON. */
  readonly json: string;
}

/** A call of which nothing has come. */
export const UNKNOWN_CALL: KnownCall = { item: undefined, json: "" };

/** Nothing has come before. */
const NOTHING_TOLD: ToldOutput = { textOf: () => "", hasCall: () => false, knownCall: () => UNKNOWN_CALL };

/** What stands around arguments that are text, so that they are JSON where they are read. */
export const INPUT_OPENING = '{"input":"';
const INPUT_CLOSING = '"}';

/** Whether an item asks the caller for something to run. */
export function isClientCall(item: JsonRecord, others: readonly JsonRecord[] = []): boolean {
  return clientCallOf(item) !== undefined && !isHosted(item, others);
}

/** Every text of a message or a thought, in the order in which they are read. */
export function textsOf(item: JsonRecord): readonly ItemText[] {
  if (!hasTexts(item)) return [];
  return (["summary", "content"] as const).flatMap((list) =>
    listOf(item[list]).map((part, index) => ({
      kind: kindOf(item, list, recordOf(part)),
      index,
      text: textIn(recordOf(part), list),
    })),
  );
}

/** Cuts output items, each with as much of it as may be shown, in the order in which they are read. */
export class ItemCutter {
  readonly #allowance: Allowance;
  readonly #told: ToldOutput;
  readonly #callIds = new Set<string>();

  constructor(allowance: Allowance, told: ToldOutput = NOTHING_TOLD) {
    this.#allowance = allowance;
    this.#told = told;
  }

  /** The items up to the one in which the cut falls. */
  cutAll(output: unknown): readonly JsonRecord[] {
    const items = listOf(output).map(recordOf);
    return items.map((item) => this.cut(item, items)).filter((item) => item !== undefined);
  }

  /** An item; undefined where nothing of it may be shown. `others` are all of the output that it stands in. */
  cut(item: JsonRecord, others: readonly JsonRecord[] = []): JsonRecord | undefined {
    if (hasTexts(item)) return this.#cutTexts(item);
    if (!isClientCall(item, others)) return this.#allowance.isCut ? undefined : item;
    if (this.#told.hasCall(item)) return this.#cutKnown(item, this.#told.knownCall());
    const id = callIdOf(item);
    // The same call once more is not read.
    if (this.#callIds.has(id)) return this.#allowance.isCut ? undefined : item;
    if (id !== "") this.#callIds.add(id);
    return this.#cutCall(item);
  }

  /** A call that has come before, with what is told here for the first time. */
  #cutKnown(item: JsonRecord, { item: known, json: come }: KnownCall): JsonRecord | undefined {
    const json = jsonOf(item);
    if (known === undefined || !hasPieces(item) || json === come || !json.startsWith(come)) return known;
    const shown = this.#allowance.take(json.slice(come.length));
    const field = item["type"] === "function_call" ? "arguments" : "input";
    if (come.length + shown.length === json.length) return { ...known, [field]: item[field], status: item["status"] };
    if (field === "arguments") return breakOff(known, field, come + shown);
    const { length } = come + shown;
    return breakOff(known, field, cutEscaped(stringOf(item[field]), length - INPUT_OPENING.length));
  }

  #cutTexts(item: JsonRecord): JsonRecord | undefined {
    const summary = this.#cutParts(item, "summary");
    const content = this.#cutParts(item, "content");
    if (this.#allowance.isCut && summary.length + content.length === 0) return undefined;
    return {
      ...item,
      ...(Array.isArray(item["summary"]) && { summary }),
      ...(Array.isArray(item["content"]) && { content }),
    };
  }

  #cutParts(item: JsonRecord, list: "summary" | "content"): readonly JsonRecord[] {
    const kept: JsonRecord[] = [];
    for (const [index, part] of listOf(item[list]).map(recordOf).entries()) {
      const whole = textIn(part, list);
      const shown = this.#take(kindOf(item, list, part), index, whole);
      if (shown !== "" || !this.#allowance.isCut) kept.push(shown === whole ? part : cutPart(part, list, shown));
    }
    return kept;
  }

  #take(kind: TextKind, index: number, whole: string): string {
    const known = this.#told.textOf(kind, index, whole);
    if (whole.startsWith(known)) return known + this.#allowance.take(whole.slice(known.length));
    return known.startsWith(whole) ? whole : known;
  }

  /** A call. What has no place for half of what is asked for is left out. */
  #cutCall(item: JsonRecord): JsonRecord | undefined {
    const json = jsonOf(item);
    const shown = this.#allowance.take(json);
    const { length } = shown;
    if (length === json.length) return item;
    if (item["type"] === "custom_tool_call") {
      const text = stringOf(item["input"]);
      return length === 0 ? undefined : breakOff(item, "input", cutEscaped(text, length - INPUT_OPENING.length));
    }
    return shown === "" || item["type"] !== "function_call" ? undefined : breakOff(item, "arguments", shown);
  }
}

/** The arguments of a call as the JSON that they are read as. */
function jsonOf(item: JsonRecord): string {
  const call = clientCallOf(item);
  if (call?.type !== "text") return jsonTextOf(call?.value);
  return `${INPUT_OPENING}${JSON.stringify(call.text).slice(1, -1)}${isBroken(item) ? "" : INPUT_CLOSING}`;
}

function breakOff(item: JsonRecord, field: string, shown: string): JsonRecord {
  return { ...item, [field]: shown, status: "incomplete" };
}

/** What a part of an item is read as. */
export function kindOf({ type }: JsonRecord, list: "summary" | "content", part: JsonRecord): TextKind {
  if (list === "summary") return "summary";
  if (part["type"] === "refusal") return "refusal";
  return type === "reasoning" ? "reasoning" : "text";
}

function fieldOf(part: JsonRecord, list: "summary" | "content"): string {
  return list === "content" && part["type"] === "refusal" ? "refusal" : "text";
}

function textIn(part: JsonRecord, list: "summary" | "content"): string {
  return stringOf(part[fieldOf(part, list)]);
}

function cutPart(part: JsonRecord, list: "summary" | "content", shown: string): JsonRecord {
  const { annotations } = part;
  return {
    ...part,
    [fieldOf(part, list)]: shown,
    ...("logprobs" in part && { logprobs: [] }),
    ...(Array.isArray(annotations) && { annotations: cutAnnotations(annotations, shown.length) }),
  };
}
