import type { TextKind, ToldText, ToldTexts } from "./told-texts.ts";

/** A text of the whole answer. */
export interface WholeText {
  readonly kind: TextKind;
  readonly text: string;
}

/** What is known of a text of the whole answer. */
export interface RetoldText {
  /** The text that it is, if something of it has been passed on. */
  readonly known: ToldText | undefined;
  /** Whether more of it can be passed on without what comes after it being in the wrong order. */
  readonly mayGoOn: boolean;
}

/** A text of which nothing has been passed on. It comes late where others have come before it, which loses less. */
const UNTOLD: RetoldText = { known: undefined, mayGoOn: true };

/**
 * Finds the texts of the whole answer among those that came before it. Places and ids may differ between the two, and
 * their order where a server has worked on several items at once; nor does every server send all of them in pieces. So a
 * text is one that says the same, or else the next one of its kind that begins like it, or that is left.
 */
export class RetoldTexts {
  /** What is left to be asked for, the next one last. */
  readonly #left: Readonly<Record<TextKind, RetoldText[]>>;

  /** Empty texts of the whole are left out. */
  constructor(told: ToldTexts, wholes: readonly WholeText[]) {
    const find = (wanted: TextKind): RetoldText[] => {
      const texts = wholes.filter(({ kind, text }) => kind === wanted && text !== "").map(({ text }) => text);
      return findAll(told.ofKind(wanted), texts).toReversed();
    };
    this.#left = {
      text: find("text"),
      refusal: find("refusal"),
      reasoning: find("reasoning"),
      summary: find("summary"),
    };
  }

  /** The next text of a kind. Asked once for each that is not empty, in their order. */
  next(kind: TextKind): RetoldText {
    return this.#left[kind].pop() ?? UNTOLD;
  }
}

/** What is known of each text of one kind. */
function findAll(told: readonly ToldText[], wholes: readonly string[]): readonly RetoldText[] {
  const found = findSame(told, wholes);
  pairLeft(found, told, wholes, isBegunBy);
  // Some servers tell another text in the end. Where more are left than have come, the last ones are new.
  pairLeft(found, told, wholes, () => true);
  return found.map((known) => (known === undefined ? UNTOLD : { known, mayGoOn: known === told.at(-1) }));
}

/** Finds more texts among those that are left, in their order, where one fits the other. */
function pairLeft(
  found: (ToldText | undefined)[],
  told: readonly ToldText[],
  wholes: readonly string[],
  fits: (whole: string, known: string) => boolean,
): void {
  const isFound = new Set(found);
  const left = told.filter((text) => !isFound.has(text));
  let next = 0;
  for (const [index, whole] of wholes.entries()) {
    const known = left[next];
    if (found[index] !== undefined || known === undefined || !fits(whole, known.text)) continue;
    found[index] = known;
    next += 1;
  }
}

/** Whether one text is the beginning of the other, but for the blanks around them. */
function isBegunBy(whole: string, known: string): boolean {
  const one = whole.trim();
  const other = known.trim();
  return one.startsWith(other) || other.startsWith(one);
}

/** The texts that say just what the whole ones do, each of them once. */
function findSame(told: readonly ToldText[], wholes: readonly string[]): (ToldText | undefined)[] {
  const byText = new Map<string, ToldText[]>();
  for (const text of told.toReversed()) {
    const others = byText.get(text.text);
    if (others === undefined) byText.set(text.text, [text]);
    else others.push(text);
  }
  return wholes.map((whole) => byText.get(whole)?.pop());
}
