/** How a scan stands: more has to come, the value is whole, it cannot become JSON, or it is nested too deep. */
export type JsonScanState = "open" | "complete" | "invalid" | "too-deep";

/** Within a number, named after what was read last. */
type NumberPart = "minus" | "zero" | "integer" | "point" | "fraction" | "e" | "sign" | "exponent";

/** What may come next. */
type Expected =
  | NumberPart
  | "value"
  | "item-or-end"
  | "key"
  | "key-or-end"
  | "colon"
  | "comma-or-end"
  | "string"
  | "escape"
  | "hex"
  | "literal";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads one JSON value as it arrives, in any number of pieces, and accepts exactly what `JSON.parse` does, so that the
 * first character that is wrong is known when it comes. It looks at each character once and keeps none.
 */
export class JsonScanner {
  readonly #deepest: number;
  readonly #closers: number[] = [];
  #state: JsonScanState = "open";
  #expected: Expected = "value";
  #isKey = false;
  #hexDigits = 0;
  /** What is still to come of `true`, `false` or `null`. */
  #literal = "";

  /** The scan fails where arrays and objects are nested more than `deepest` levels deep. */
  constructor(deepest: number) {
    this.#deepest = deepest;
  }

  get state(): JsonScanState {
    return this.#state;
  }

  /**
   * Reads on from an index while the state is `open`, and returns the index behind the last character that belongs to
   * the value. Whether a number is whole shows only at the character after it.
   */
  read(text: string, from: number): number {
    for (let index = from; index < text.length; index++) {
      if (!this.#take(text.charCodeAt(index))) return index;
      if (this.#state !== "open") return index + 1;
    }
    return text.length;
  }

  /** Takes one code unit, or returns false because it does not belong to the value. */
  #take(unit: number): boolean {
    switch (this.#expected) {
      case "string":
        if (unit === QUOTE) return this.#endString();
        if (unit === BACKSLASH) return this.#expect("escape");
        return unit >= 0x20 || this.#fail("invalid");
      case "escape":
        this.#hexDigits = 4;
        if (unit === 0x75) return this.#expect("hex");
        return `"\\/bfnrt`.includes(String.fromCharCode(unit)) ? this.#expect("string") : this.#fail("invalid");
      case "hex":
        this.#hexDigits -= 1;
        if (!isHexDigit(unit)) return this.#fail("invalid");
        return this.#hexDigits > 0 || this.#expect("string");
      case "literal":
        if (unit !== this.#literal.charCodeAt(0)) return this.#fail("invalid");
        this.#literal = this.#literal.slice(1);
        return this.#literal !== "" || this.#endValue();
      case "value":
      case "item-or-end":
      case "key":
      case "key-or-end":
      case "colon":
      case "comma-or-end":
        return isJsonSpace(unit) || this.#takeStructure(this.#expected, unit);
      default:
        return this.#takeNumber(this.#expected, unit);
    }
  }

  #takeStructure(expected: Expected, unit: number): boolean {
    const closer = this.#closers.at(-1);
    if (unit === closer && expected !== "value" && expected !== "key" && expected !== "colon") {
      this.#closers.pop();
      return this.#endValue();
    }
    switch (expected) {
      case "colon":
        return unit === COLON ? this.#expect("value") : this.#fail("invalid");
      case "comma-or-end":
        if (unit !== COMMA) return this.#fail("invalid");
        return this.#expect(closer === CLOSE_OBJECT ? "key" : "value");
      case "key":
      case "key-or-end":
        this.#isKey = true;
        return unit === QUOTE ? this.#expect("string") : this.#fail("invalid");
      default:
        return this.#beginValue(unit);
    }
  }

  #beginValue(unit: number): boolean {
    switch (unit) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (this.#closers.length === this.#deepest) return this.#fail("too-deep");
        this.#closers.push(unit === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
        return this.#expect(unit === OPEN_OBJECT ? "key-or-end" : "item-or-end");
      case QUOTE:
        this.#isKey = false;
        return this.#expect("string");
      case MINUS:
        return this.#expect("minus");
      default: {
        if (isDigit(unit)) return this.#expect(unit === ZERO ? "zero" : "integer");
        const literal = ["true", "false", "null"].find((word) => word.charCodeAt(0) === unit);
        if (literal === undefined) return this.#fail("invalid");
        this.#literal = literal.slice(1);
        return this.#expect("literal");
      }
    }
  }

  #takeNumber(part: NumberPart, unit: number): boolean {
    const next = nextInNumber(part, unit);
    if (next === "invalid") return this.#fail("invalid");
    if (next !== "over") return this.#expect(next);
    this.#endValue();
    // The character behind a number belongs to whatever the number stands in.
    return this.#state === "open" && this.#take(unit);
  }

  #endString(): true {
    return this.#isKey ? this.#expect("colon") : this.#endValue();
  }

  #endValue(): true {
    if (this.#closers.length === 0) this.#state = "complete";
    return this.#expect("comma-or-end");
  }

  #expect(expected: Expected): true {
    this.#expected = expected;
    return true;
  }

  #fail(state: JsonScanState): false {
    this.#state = state;
    return false;
  }
}

/** Whether a text is one JSON object, nested at most so many levels deep, with nothing but space around it. */
export function isJsonObject(text: string, deepest: number): boolean {
  const start = skipJsonSpace(text, 0);
  if (text.charCodeAt(start) !== OPEN_OBJECT) return false;
  const scanner = new JsonScanner(deepest);
  const end = scanner.read(text, start);
  return scanner.state === "complete" && skipJsonSpace(text, end) === text.length;
}

/** The index of the first character from an index on that is not one of the four spaces of JSON. */
export function skipJsonSpace(text: string, from: number): number {
  let index = from;
  while (isJsonSpace(text.charCodeAt(index))) index += 1;
  return index;
}

function isJsonSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function nextInNumber(part: NumberPart, unit: number): NumberPart | "over" | "invalid" {
  const isE = (unit | 0x20) === 0x65;
  switch (part) {
    case "minus":
      return isDigit(unit) ? (unit === ZERO ? "zero" : "integer") : "invalid";
    case "zero":
    case "integer":
      if (part === "integer" && isDigit(unit)) return "integer";
      return unit === POINT ? "point" : isE ? "e" : "over";
    case "point":
      return isDigit(unit) ? "fraction" : "invalid";
    case "fraction":
      return isDigit(unit) ? "fraction" : isE ? "e" : "over";
    case "e":
      if (unit === MINUS || unit === 0x2b) return "sign";
      return isDigit(unit) ? "exponent" : "invalid";
    case "sign":
      return isDigit(unit) ? "exponent" : "invalid";
    default:
      return isDigit(unit) ? "exponent" : "over";
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= 0x39;
}

function isHexDigit(unit: number): boolean {
  const letter = unit | 0x20;
  return isDigit(unit) || (letter >= 0x61 && letter <= 0x66);
}
