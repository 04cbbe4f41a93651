import type { GenerationEvent, Usage } from "fullstop";
import { SourceList } from "fullstop/control";
import type { Source } from "fullstop/control";
import type { Ending } from "../api/generations.ts";

/** A run of text or thinking, in blocks that a browser can lay out one by one. */
export interface TextPart {
  readonly type: "text" | "reasoning";
  /** How much of the answer's text comes before it, which is what the places of citations count from. */
  readonly start: number;
  readonly blocks: string[];
  isSkipped?: boolean;
}

/** A tool call as far as it came. */
export interface CallPart {
  readonly type: "tool-call";
  readonly callId: string;
  readonly name: string;
  json: string;
  isComplete: boolean;
}

/** What an answer consists of, in its order. */
export type AnswerPart = TextPart | CallPart;

/** What a generation is doing. */
export type AnswerPhase = "waiting" | "thinking" | "answering" | "calling" | "ended";

/** From this length on a block ends at its last line break. */
const LONG_BLOCK = 2000;
/** A block without line breaks ends here, in the middle of its line. */
const LONGEST_BLOCK = 8000;

/** Everything that an answer has said so far. Events are added one by one, and nothing is ever read twice. */
export class Answer {
  readonly parts: AnswerPart[] = [];
  /** How many events there were, which is where a reader goes on. */
  offset = 0;
  phase: AnswerPhase = "waiting";
  model = "";
  usage: Usage | undefined;
  signal: Ending | undefined;
  /** The text that stop rules hold back at present. It may still become part of the answer, or never. */
  held = "";
  readonly #list = new SourceList();
  #textLength = 0;

  add(event: GenerationEvent): void {
    this.offset += 1;
    // A citation can come while the text that it is for is held back.
    if (event.type !== "citation") this.held = "";
    this.#list.add(event);
    switch (event.type) {
      case "start":
        this.model = event.model;
        break;
      case "text":
      case "reasoning":
        this.phase = event.type === "text" ? "answering" : "thinking";
        this.#addText(event.type, event.text);
        if (event.type === "reasoning" && event.skipped === true) this.#skip();
        break;
      case "tool-call-start":
        this.phase = "calling";
        this.parts.push({ type: "tool-call", callId: event.callId, name: event.name, json: "", isComplete: false });
        break;
      case "tool-call-delta":
      case "tool-call-end":
        this.#addToCall(event.callId, event.type === "tool-call-delta" ? event.json : undefined);
        break;
      case "usage":
        this.usage = event.usage;
        break;
      case "finish":
        this.phase = "ended";
        this.signal = event.signal;
        break;
      case "citation":
        // It is on the list.
        break;
      case "opaque":
        // What a provider does for itself is nothing that the answer says.
        break;
    }
  }

  /** The text of the answer, without its thinking. */
  get text(): string {
    return this.parts.map((part) => (part.type === "text" ? textOf(part) : "")).join("");
  }

  /** What it quotes. The list is the same one until there is more to it. */
  get sources(): readonly Source[] {
    return this.#list.sources;
  }

  #addText(type: "text" | "reasoning", text: string): void {
    if (text === "") return;
    const start = this.#textLength;
    if (type === "text") this.#textLength += text.length;
    const last = this.parts.at(-1);
    // A model that thinks again although it was told not to begins anew.
    if (last?.type === type && last.isSkipped !== true) addToBlocks(last.blocks, text);
    else this.parts.push({ type, start, blocks: blocksOf(text) });
  }

  /** Nothing more of the thinking is wanted, and nothing of the answer is there. */
  #skip(): void {
    this.phase = "waiting";
    const part = this.parts.findLast(({ type }) => type === "reasoning");
    if (part?.type === "reasoning") part.isSkipped = true;
  }

  #addToCall(callId: string, json: string | undefined): void {
    const call = this.parts.findLast((part) => part.type === "tool-call" && part.callId === callId);
    if (call?.type !== "tool-call") return;
    if (json === undefined) call.isComplete = true;
    else call.json += json;
  }
}

/** The whole text of a part; of a tool call, its arguments. */
export function textOf(part: AnswerPart): string {
  return part.type === "tool-call" ? part.json : part.blocks.join("");
}

function blocksOf(text: string): string[] {
  const blocks: string[] = [""];
  addToBlocks(blocks, text);
  return blocks;
}

/** Adds text to the last block and cuts it where it has become long. Joined, the blocks are the text. */
function addToBlocks(blocks: string[], text: string): void {
  let last = (blocks.pop() ?? "") + text;
  while (last.length > LONG_BLOCK) {
    const line = last.lastIndexOf("\n", LONGEST_BLOCK) + 1;
    const end = line > 0 ? line : last.length > LONGEST_BLOCK ? wordEnd(last) : 0;
    if (end === 0 || end === last.length) break;
    blocks.push(last.slice(0, end));
    last = last.slice(end);
  }
  blocks.push(last);
}

/** Where a line without breaks is cut: after a word, or at least not within a character. */
function wordEnd(text: string): number {
  const space = text.lastIndexOf(" ", LONGEST_BLOCK) + 1;
  if (space > 0) return space;
  return text.codePointAt(LONGEST_BLOCK - 1)! > 0xff_ff ? LONGEST_BLOCK - 1 : LONGEST_BLOCK;
}
