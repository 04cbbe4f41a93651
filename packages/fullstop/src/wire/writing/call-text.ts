import { isRecord, parseJson } from "../json.ts";

/** What stands before the text where the arguments are as they should be. */
const OPENING = /^\s*\{\s*"input"\s*:\s*"/u;

/** What a letter behind a backslash stands for. Any other character stands for itself. */
const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** A piece of a JSON string that has no escape in it and does not end there. */
const PLAIN = /[^"\\]+/uy;

/** How long the beginning can get in which the text is still expected. */
const LONGEST_OPENING = 256;

/**
 * Takes the text out of the arguments of a call as they come: out of `{"input": "…"}`. A model may write something else
 * than it was told; that is the text then, when all of it is there.
 */
export class CallText {
  #state: "before" | "inside" | "after" | "other" = "before";
  /** What has come that is not read yet: the beginning, half an escape, or all of something else. */
  #rest = "";

  /** Adds a piece of the arguments. Returns what it adds to the text. */
  push(json: string): string {
    // What stands behind the text has nothing to say.
    if (this.#state === "after") return "";
    this.#rest += json;
    if (this.#state === "before") this.#open();
    return this.#state === "inside" ? this.#read() : "";
  }

  /** Returns what is left of the text when no more comes, be it that all of it is there or that it was cut. */
  end(isWhole: boolean): string {
    const rest = this.#rest;
    this.#rest = "";
    if (this.#state === "inside" || this.#state === "after") return "";
    // Arguments that were cut before the text began have none of it.
    return !isWhole && isOpening(rest) ? "" : otherText(rest);
  }

  #open(): void {
    const opening = OPENING.exec(this.#rest);
    if (opening !== null) {
      this.#state = "inside";
      this.#rest = this.#rest.slice(opening[0].length);
    } else if (this.#rest.length > LONGEST_OPENING) this.#state = "other";
  }

  /** Reads as much of the text as is certain. */
  #read(): string {
    const json = this.#rest;
    let text = "";
    let at = 0;
    while (at < json.length) {
      PLAIN.lastIndex = at;
      const plain = PLAIN.exec(json)?.[0] ?? "";
      text += plain;
      at += plain.length;
      if (json[at] === '"') {
        this.#state = "after";
        this.#rest = "";
        return text;
      }
      const escape = escapeAt(json, at);
      if (escape === undefined) break;
      text += escape.text;
      at += escape.length;
    }
    this.#rest = json.slice(at);
    return text;
  }
}

/** Whether it is the beginning of what stands before the text. */
function isOpening(json: string): boolean {
  return '{"input":"'.startsWith(json.replaceAll(/\s/gu, ""));
}

/** What an escape stands for, and how long it is; nothing where there is none, or only a part of one. */
function escapeAt(json: string, at: number): { readonly text: string; readonly length: number } | undefined {
  const letter = json[at + 1];
  if (json[at] !== "\\" || letter === undefined) return undefined;
  if (letter !== "u") return { text: ESCAPES[letter] ?? letter, length: 2 };
  const digits = json.slice(at + 2, at + 6);
  if (digits.length < 4) return undefined;
  return /^[\da-f]{4}$/iu.test(digits)
    ? { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 }
    : { text: "u", length: 2 };
}

/** The text of arguments that are not as they should be: what they call input, or else all of them. */
function otherText(json: string): string {
  const value = parseJson(json);
  if (!isRecord(value)) return json;
  const { input } = value;
  if (typeof input === "string") return input;
  return Object.keys(value).length === 0 ? "" : json;
}
