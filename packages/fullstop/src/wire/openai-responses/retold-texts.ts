import type { TextKind, ToldText, ToldTexts } from "./told-texts.ts";

/** What is known of a text of the whole answer. */
export interface RetoldText {
  /** The text that it is, if something of it has been passed on. */
  readonly known: ToldText | undefined;
  /** Whether more of it can be passed on without what comes after it being in the wrong order. */
  readonly mayGoOn: boolean;
}

/**
 * Finds the texts of the whole answer among those that came before it. Places and ids may differ between the two, and
 * their order where a server has worked on several items at once. So a text is the next of its kind, unless that says
 * something else and another says the same.
 */
export class RetoldTexts {
  readonly #kinds: Readonly<Record<TextKind, RetoldKind>>;

  constructor(told: ToldTexts) {
    const open = (kind: TextKind): RetoldKind => new RetoldKind([...told.ofKind(kind)]);
    this.#kinds = {
      text: open("text"),
      refusal: open("refusal"),
      reasoning: open("reasoning"),
      summary: open("summary"),
    };
  }

  /** The next text of a kind. Asked once for each that is not empty, in their order. */
  next(kind: TextKind, whole: string): RetoldText {
    return this.#kinds[kind].next(whole);
  }
}

class RetoldKind {
  readonly #known: readonly ToldText[];
  readonly #found = new Set<ToldText>();
  #turn = 0;
  #byText: ReadonlyMap<string, ToldText> | undefined;

  constructor(known: readonly ToldText[]) {
    this.#known = known;
  }

  next(whole: string): RetoldText {
    const turn = this.#turn++;
    const own = this.#known[turn];
    const known = own === undefined || own.text === whole ? own : (this.#find(whole) ?? own);
    if (known !== undefined) this.#found.add(known);
    return { known, mayGoOn: turn >= this.#known.length - 1 };
  }

  /** A text that says this and has not been found yet. */
  #find(whole: string): ToldText | undefined {
    this.#byText ??= new Map(this.#known.map((told) => [told.text, told]));
    const same = this.#byText.get(whole);
    return same === undefined || this.#found.has(same) ? undefined : same;
  }
}
