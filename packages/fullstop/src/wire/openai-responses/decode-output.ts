import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Answer } from "../reading/answer.ts";
import { annotationToCitation } from "../reading/citation.ts";
import { ResponsesCallReader } from "./decode-calls.ts";
import { clientCallOf, hasTexts, isHosted } from "./decode-item.ts";
import { ItemKeys } from "./item-keys.ts";
import type { ItemKey } from "./item-keys.ts";
import { RetoldTexts } from "./retold-texts.ts";
import type { WholeText } from "./retold-texts.ts";
import { ToldTexts } from "./told-texts.ts";
import type { TextKind, ToldText } from "./told-texts.ts";

/** The kind of a part, by its type. */
export const PART_KINDS: ReadonlyMap<unknown, TextKind> = new Map<unknown, TextKind>([
  ["output_text", "text"],
  ["text", "text"],
  ["refusal", "refusal"],
  ["reasoning_text", "reasoning"],
  ["summary_text", "summary"],
]);

/**
 * Reads the output items of an answer. The same text comes up to four times: in pieces, when its part is done, when
 * its item is done, and in the whole answer at the end. Each time only what is new is passed on, so that servers that
 * leave out any of these lose nothing.
 */
export class OutputReader {
  readonly #answer: Answer;
  /** What has been passed on of the texts. */
  readonly texts: ToldTexts = new ToldTexts();
  /** Which items the events are about. */
  readonly keys: ItemKeys = new ItemKeys();
  /** The calls among the items. */
  readonly calls: ResponsesCallReader;
  readonly #completed = new Set<string>();
  #signatures = 0;
  #hosted = 0;
  /** The text that the last event was about, and the item and the index as that event had them. */
  #current: { readonly item: unknown; readonly index: unknown; readonly told: ToldText } | undefined;

  constructor(answer: Answer) {
    this.#answer = answer;
    this.calls = new ResponsesCallReader(answer.calls, this.keys);
  }

  /** Reads an event about a part of an item. Tells whether it was one. */
  readDelta(type: string, value: JsonRecord): boolean {
    switch (type) {
      case "response.output_text.delta":
        this.#add(this.#textOf("text", value, "content_index"), stringOf(value["delta"]));
        return true;
      case "response.output_text.done":
        this.#fill(this.#textOf("text", value, "content_index"), stringOf(value["text"]));
        return true;
      case "response.output_text.annotation.added":
        this.#cite(this.#textOf("text", value, "content_index"), value["annotation"]);
        return true;
      case "response.refusal.delta":
        this.#add(this.#textOf("refusal", value, "content_index"), stringOf(value["delta"]));
        return true;
      case "response.refusal.done":
        this.#fill(this.#textOf("refusal", value, "content_index"), stringOf(value["refusal"]));
        return true;
      case "response.reasoning_summary_text.delta":
        this.#add(this.#textOf("summary", value, "summary_index"), stringOf(value["delta"]));
        return true;
      case "response.reasoning_summary_text.done":
        this.#fill(this.#textOf("summary", value, "summary_index"), stringOf(value["text"]));
        return true;
      // The open variant of the protocol has its own name for the same event.
      case "response.reasoning_text.delta":
      case "response.reasoning.delta":
        this.#add(this.#textOf("reasoning", value, "content_index"), stringOf(value["delta"]));
        return true;
      case "response.reasoning_text.done":
      case "response.reasoning.done":
        this.#fill(this.#textOf("reasoning", value, "content_index"), stringOf(value["text"]));
        return true;
      case "response.content_part.done":
      case "response.reasoning_summary_part.done":
        this.#readPart(value);
        return true;
      default:
        return this.calls.readDelta(type, value);
    }
  }

  /** A part is all there. Most servers have told its text by now. */
  #readPart(value: JsonRecord): void {
    const part = recordOf(value["part"]);
    const kind = PART_KINDS.get(part["type"]);
    if (kind === undefined) return;
    const told = this.#textOf(kind, value, kind === "summary" ? "summary_index" : "content_index");
    this.#fill(told, stringOf(part[kind === "refusal" ? "refusal" : "text"]));
    this.#citeAll(told, part);
  }

  /** An item has begun. Only a call is worth telling at this point. */
  beginItem(event: JsonRecord): void {
    const item = recordOf(event["item"]);
    const comesInPieces = item["type"] === "function_call" || (item["type"] === "custom_tool_call" && !isHosted(item));
    if (comesInPieces) this.calls.start(item, this.keys.keyOf(event));
    else this.#answer.supersede();
  }

  /** An item is all there. */
  completeItem(event: JsonRecord): void {
    const item = recordOf(event["item"]);
    const key = this.keys.lastKeyOf(event);
    // Servers that translate may have a thought and a call in the same place.
    const mark = `${stringOf(item["type"])} ${key}`;
    if (this.#completed.has(mark)) return;
    this.#completed.add(mark);
    switch (item["type"]) {
      case "message":
      case "reasoning":
        this.#readTexts(item, (kind, index, whole, part) => {
          const told = this.texts.at(kind, key, index);
          this.#fill(told, whole);
          this.#citeAll(told, part);
        });
        if (stringOf(item["encrypted_content"]) !== "") this.#sign(item);
        break;
      default:
        if (clientCallOf(item) === undefined || isHosted(item)) this.#readHosted(item);
        else this.calls.read(item, key);
        break;
    }
  }

  /**
   * Reads the output of the whole answer, most of which has come by events already. Its parts are matched with those
   * that came before, and only what no event has told is passed on.
   */
  readAll(output: unknown): void {
    const items = listOf(output).map(recordOf);
    const wholes: WholeText[] = [];
    for (const item of items.filter(hasTexts)) this.#readTexts(item, (kind, _, text) => wholes.push({ kind, text }));
    const retold = new RetoldTexts(this.texts, wholes);
    const calls = this.calls.retell(items);
    const told = { signatures: this.#signatures, hosted: this.#hosted };
    const read = (key: ItemKey, kind: TextKind, index: number, whole: string, part: unknown): void => {
      if (whole === "") return;
      const { known, mayGoOn } = retold.next(kind);
      const text = known ?? this.texts.at(kind, key, index);
      if (mayGoOn) this.#fill(text, whole);
      this.#citeAll(text, part);
    };
    for (const [position, item] of items.entries()) {
      const key = `whole ${position}`;
      if (hasTexts(item)) {
        this.#readTexts(item, (kind, index, whole, part) => read(key, kind, index, whole, part));
        if (stringOf(item["encrypted_content"]) !== "" && told.signatures-- <= 0) this.#sign(item);
      } else if (clientCallOf(item) === undefined || isHosted(item, items)) {
        if (told.hosted-- <= 0) this.#readHosted(item);
      } else this.calls.readRetold(item, calls.next(item), key);
    }
  }

  /** Every text of a message or a thought, with its kind, its place among those of its kind in the item, and its part. */
  #readTexts(item: JsonRecord, read: (kind: TextKind, index: number, whole: string, part: unknown) => void): void {
    const isThought = item["type"] === "reasoning";
    for (const [index, part] of listOf(item["summary"]).entries()) read("summary", index, textIn(part), part);
    for (const [index, part] of listOf(item["content"]).entries()) {
      const { type, refusal } = recordOf(part);
      if (type === "refusal") read("refusal", index, stringOf(refusal), part);
      else read(isThought ? "reasoning" : "text", index, textIn(part), part);
    }
  }

  #sign(item: JsonRecord): void {
    this.#signatures += 1;
    this.#answer.signature(item["encrypted_content"]);
  }

  /** What the provider does itself is not for the caller to run, and goes back to the provider as it came. */
  #readHosted(item: JsonRecord): void {
    this.#hosted += 1;
    this.#answer.opaque(item);
  }

  /** The text an event is about. Most events are about the same one as the event before. */
  #textOf(kind: TextKind, value: JsonRecord, indexField: string): ToldText {
    const { output_index: item, [indexField]: index } = value;
    const current = this.#current;
    const isSame = current?.told.kind === kind && current.item === item && current.index === index;
    // An item without a place has to be looked up by its id.
    if (isSame && typeof item === "number") return current.told;
    const told = this.texts.at(kind, this.keys.keyOf(value), partIndexOf(index));
    this.#current = { item, index, told };
    return told;
  }

  #add(told: ToldText, piece: string): void {
    if (piece === "") return;
    this.texts.add(told, piece, this.#answer.textLength);
    if (told.kind === "text") this.#answer.text(piece);
    else if (told.kind === "refusal") this.#answer.refusal(piece);
    else this.#answer.reasoning(piece);
  }

  #cite(told: ToldText, annotation: unknown): void {
    told.citations += 1;
    // One that comes before its text is for the text that comes next.
    const start = told.text === "" ? this.#answer.textLength : told.start;
    if (isRecord(annotation)) this.#answer.citation(annotationToCitation(annotation, start));
  }

  /** Passes on the citations of a part that were not told one by one. */
  #citeAll(told: ToldText, part: unknown): void {
    for (const annotation of listOf(recordOf(part)["annotations"]).slice(told.citations)) this.#cite(told, annotation);
  }

  /** Passes on what is new of a text that is told once more. More than was told, and other than that, is a loss. */
  #fill(told: ToldText, whole: string): void {
    if (whole.length <= told.text.length) return;
    if (whole.startsWith(told.text)) this.#add(told, whole.slice(told.text.length));
    else this.#answer.malformed();
  }
}

/** The place of a part in its item; the first where none is told that a list could have. */
export function partIndexOf(index: unknown): number {
  return typeof index === "number" && Number.isSafeInteger(index) && index > 0 ? index : 0;
}

function textIn(part: unknown): string {
  return stringOf(recordOf(part)["text"]);
}
