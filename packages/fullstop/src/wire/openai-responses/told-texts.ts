import type { ItemKey } from "./item-keys.ts";

/** What a text is: those of different kinds are told apart even where they stand in the same place. */
export type TextKind = "text" | "refusal" | "reasoning" | "summary";

/** The text of one part of one output item. */
export interface ToldText {
  readonly kind: TextKind;
  readonly item: ItemKey;
  /** Its place among the parts of its item. */
  readonly index: number;
  /** What has been passed on of it. */
  text: string;
  /** Where it begins among all visible text. */
  start: number;
  /** How many of its citations have been passed on. */
  citations: number;
}

/** The texts of an answer, with what has been passed on of each. */
export class ToldTexts {
  readonly #places = new Map<string, ToldText>();
  readonly #items = new Map<ItemKey, ToldText[]>();
  readonly #turns: Readonly<Record<TextKind, ToldText[]>> = { text: [], refusal: [], reasoning: [], summary: [] };

  /** The text in a place. */
  at(kind: TextKind, item: ItemKey, index: number): ToldText {
    // An id may look like a place in the output.
    const place = `${kind} ${index} ${typeof item} ${item}`;
    const known = this.#places.get(place);
    if (known !== undefined) return known;
    const told: ToldText = { kind, item, index, text: "", start: 0, citations: 0 };
    this.#places.set(place, told);
    return told;
  }

  /** The texts of a kind of which something has been passed on, in the order of their first pieces. */
  ofKind(kind: TextKind): readonly ToldText[] {
    return this.#turns[kind];
  }

  /** The texts of an item of which something has been passed on. */
  ofItem(item: ItemKey): readonly ToldText[] {
    return this.#items.get(item) ?? [];
  }

  /** Adds a piece that is passed on after so much visible text. */
  add(told: ToldText, piece: string, textLength: number): void {
    if (told.text === "") {
      told.start = textLength;
      this.#turns[told.kind].push(told);
      const others = this.#items.get(told.item);
      if (others === undefined) this.#items.set(told.item, [told]);
      else others.push(told);
    }
    told.text += piece;
  }
}
