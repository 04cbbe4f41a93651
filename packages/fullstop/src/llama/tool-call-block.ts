import { JsonScanner, isJsonObject, skipJsonSpace } from "./json-scanner.ts";
import { BlockExcerpt } from "./tool-call-problem.ts";
import type { BlockEnding, ToolCallFault } from "./tool-call-problem.ts";

/** What a block turned out to be: a call, with what its arguments still lack, or something else, said in a sentence. */
export type BlockConclusion =
  | { readonly isCall: true; readonly json: string }
  | { readonly isCall: false; readonly problem: string };

/** Longer blocks are not read to their end, so that a model that does not stop cannot fill the memory. */
const LONGEST_BLOCK = 1_000_000;
/** Deeper nesting would bring down readers that go down level by level. */
const DEEPEST_NESTING = 512;
/** What a value in the block may be nested, the block's own object being the first level. */
const DEEPEST_VALUE = DEEPEST_NESTING - 1;

/** Where in the block's own object the reading stands. What lies inside its keys and values is the scanner's. */
type Place = "start" | "first-key" | "key" | "colon" | "value" | "comma" | "behind";

/** What the scanner is reading: `arguments-text` are arguments written as a string that holds JSON. */
type Part = "key" | "name" | "arguments" | "arguments-text" | "other";

/**
 * Reads the JSON of one tool call as the model writes it: the name as soon as it is whole, then the characters of the
 * arguments as they come.
 */
export class ToolCallBlock {
  readonly #excerpt = new BlockExcerpt();
  #length = 0;
  #fault: ToolCallFault | undefined = undefined;
  #place: Place = "start";
  #part: Part = "other";
  #scanner: JsonScanner | undefined = undefined;
  /** The key, name or string that is being read, as it is spelt. */
  #raw = "";
  #key = "";
  #name: string | undefined = undefined;
  #arguments: "missing" | "null" | "given" = "missing";
  /** Arguments that came before the name. */
  #held = "";
  /** Arguments to go out with the piece that is being read. */
  #ready = "";

  /** The name of the tool, once it is known. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Reads a piece of the block, and returns the JSON of the arguments that may go out now. Without a name none may. */
  read(text: string): string {
    const piece = text.slice(0, LONGEST_BLOCK - this.#length);
    this.#length += piece.length;
    let index = 0;
    while (index < piece.length && this.#fault === undefined) index = this.#step(piece, index);
    if (piece.length < text.length) this.#fail("too-long", index);
    this.#excerpt.add(piece.slice(0, index));
    this.#excerpt.addRest(text.slice(index));
    const ready = this.#ready;
    this.#ready = "";
    return ready;
  }

  /** What the block is if it ends here. */
  conclude(ending: BlockEnding): BlockConclusion {
    if (this.#fault !== undefined) return { isCall: false, problem: this.#excerpt.describeFault(this.#fault) };
    const isWhole = this.#place === "behind" && (ending === "closed" || ending === "ended");
    if (!isWhole) return { isCall: false, problem: this.#excerpt.describeEnd(ending) };
    if (this.#name === undefined) return { isCall: false, problem: this.#excerpt.describeFault("no-name") };
    return { isCall: true, json: this.#arguments === "given" ? "" : "{}" };
  }

  /** Reads on from an index and returns the one to go on from; at a fault, the one where it was found. */
  #step(text: string, from: number): number {
    if (this.#scanner !== undefined) return this.#scan(this.#scanner, text, from);
    const index = skipJsonSpace(text, from);
    if (index === text.length) return index;
    const character = text.charAt(index);
    switch (this.#place) {
      case "start":
        return character === "{" ? this.#go("first-key", index + 1) : this.#fail("not-json", index);
      case "first-key":
      case "key":
        if (character === "}" && this.#place === "first-key") return this.#go("behind", index + 1);
        return character === `"` ? this.#begin("key", index) : this.#fail("not-json", index);
      case "colon":
        return character === ":" ? this.#go("value", index + 1) : this.#fail("not-json", index);
      case "value":
        return this.#beginValue(character, index);
      case "comma":
        if (character === "}") return this.#go("behind", index + 1);
        return character === "," ? this.#go("key", index + 1) : this.#fail("not-json", index);
      default:
        return this.#fail("not-json", index);
    }
  }

  #beginValue(character: string, index: number): number {
    // What can begin no value at all is for the scanner to refuse.
    const isAnyValue = /[[{"\dtfn-]/.test(character);
    switch (this.#key) {
      case "name":
        if (this.#name !== undefined) return this.#fail("two-names", index);
        if (character === `"`) return this.#begin("name", index);
        return isAnyValue ? this.#fail("odd-name", index) : this.#begin("other", index);
      case "arguments":
      case "parameters":
        if (this.#arguments !== "missing") return this.#fail("two-arguments", index);
        this.#arguments = character === "n" ? "null" : "given";
        if (character === "{") return this.#begin("arguments", index);
        if (character === `"`) return this.#begin("arguments-text", index);
        if (character === "n") return this.#begin("other", index);
        return isAnyValue ? this.#fail("odd-arguments", index) : this.#begin("other", index);
      default:
        return this.#begin("other", index);
    }
  }

  #begin(part: Part, index: number): number {
    this.#part = part;
    this.#raw = "";
    this.#scanner = new JsonScanner(DEEPEST_VALUE);
    return index;
  }

  #scan(scanner: JsonScanner, text: string, from: number): number {
    const end = scanner.read(text, from);
    if (this.#part === "arguments") this.#write(text.slice(from, end));
    else if (this.#part !== "other") this.#raw += text.slice(from, end);
    switch (scanner.state) {
      case "open":
        return end;
      case "complete":
        this.#scanner = undefined;
        return this.#endPart(end);
      case "invalid":
        return this.#fail("not-json", end);
      default:
        return this.#fail("too-deep", end);
    }
  }

  #endPart(index: number): number {
    if (this.#part === "key") {
      this.#key = decodeString(this.#raw);
      return this.#go("colon", index);
    }
    if (this.#part === "name") {
      const name = decodeString(this.#raw);
      if (name === "") return this.#fail("empty-name", index);
      this.#name = name;
      this.#ready = this.#held;
      this.#held = "";
    } else if (this.#part === "arguments-text") {
      const json = decodeString(this.#raw);
      if (!isJsonObject(json, DEEPEST_VALUE)) return this.#fail("odd-arguments", index);
      this.#write(json);
    }
    return this.#go("comma", index);
  }

  #write(json: string): void {
    if (this.#name === undefined) this.#held += json;
    else this.#ready += json;
  }

  #go(place: Place, index: number): number {
    this.#place = place;
    return index;
  }

  #fail(fault: ToolCallFault, index: number): number {
    this.#fault ??= fault;
    this.#held = "";
    this.#raw = "";
    this.#scanner = undefined;
    return index;
  }
}

/** The value of a string's JSON, which a scanner has found to be whole. */
function decodeString(json: string): string {
  return String(JSON.parse(json));
}
