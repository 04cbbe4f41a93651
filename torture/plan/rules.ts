import type { Content } from "./content.ts";

/** What a stop string watches. */
export type Scope = "text" | "reasoning" | "tool-arguments" | "all";

/** A stop string of a plan. */
export interface PlannedStop {
  readonly text: string;
  readonly scope: Scope;
  readonly include: boolean;
}

/** The rules that a request has. */
export interface Rules {
  readonly stops: readonly PlannedStop[];
  readonly ignoresCase: boolean;
  readonly maxCharacters: number | undefined;
  readonly maxMilliseconds: number | undefined;
  readonly repetition: boolean;
  readonly onDisconnect: "stop" | "continue";
}

/** What is wanted of rules. */
export interface RuleWishes {
  readonly loops: boolean;
  readonly hasDeadline: boolean;
  readonly goesOn: boolean;
  readonly isRuled: boolean;
  /** Whether there have to be stop strings. */
  readonly isWatched: boolean;
}

/** Plans the rules of a request. */
export function planRules(random: () => number, content: Content, wishes: RuleWishes): Rules {
  const below = (most: number): number => Math.floor(random() * most);
  const ignoresCase = below(8) === 0;
  const stops = wishes.isWatched || (wishes.isRuled && below(10) < 6) ? planStops(content, below, ignoresCase) : [];
  const isLimited = wishes.isRuled && below(8) === 0;
  return {
    stops,
    ignoresCase,
    maxCharacters: isLimited ? 1 + below(content.text.length + 20) : undefined,
    maxMilliseconds: wishes.hasDeadline ? 1 + below(300) : undefined,
    repetition: wishes.loops || below(10) === 0,
    onDisconnect: wishes.goesOn ? "continue" : "stop",
  };
}

function planStops(content: Content, below: (most: number) => number, ignoresCase: boolean): readonly PlannedStop[] {
  const { reasoning, text, calls } = content;
  const json = calls[0]?.json ?? "";
  const makers: readonly (() => PlannedStop)[] = [
    // Somewhere in the text, and so across pieces as often as not.
    () => plain(someOf(text, below)),
    () => plain(someOf(text, below)),
    () => ({ ...plain(someOf(text, below)), include: true }),
    // Begins like the text and goes on in another way, so that much is held back for nothing.
    () => plain(`${someOf(text, below)}#never#`),
    // Begins as the text or the thinking ends: what is held back has to come out at the end.
    () => plain(`${wholeCharacters(text.slice(-1 - below(6)))}#`),
    () => ({ text: `${wholeCharacters(reasoning.slice(-1 - below(6)))}#`, scope: "all", include: false }),
    // From the thinking into the text, where no match may be.
    () => plain(`${wholeCharacters(reasoning.slice(-3))}${wholeCharacters(text.slice(0, 3))}#`.slice(0, -1)),
    () => ({ text: someOf(reasoning, below), scope: below(2) === 0 ? "reasoning" : "all", include: false }),
    () => ({ text: someAscii(json, below), scope: "tool-arguments", include: false }),
    () => plain("</answer>"),
    () => plain("\nUser:"),
  ];
  const made = Array.from({ length: 1 + below(4) }, () => makers[below(makers.length)]?.() ?? plain("#"));
  // One that ends with another: both are complete at the same character.
  const [first] = made;
  const tail = first === undefined ? [] : [{ ...first, text: wholeCharacters(first.text.slice(1)) }];
  const all = [...made, ...(below(3) === 0 ? tail : [])].filter(({ text: each }) => each !== "");
  const folded = all.map(({ text: each, scope, include }) => {
    return { text: ignoresCase && below(2) === 0 ? swapCase(each) : each, scope, include };
  });
  return shuffle(unique(folded, ignoresCase), below);
}

const plain = (text: string): PlannedStop => ({ text, scope: "text", include: false });

/** Some characters that stand next to each other in a text; something else where there is none. */
function someOf(text: string, below: (most: number) => number): string {
  if (text === "") return "nothing";
  const start = below(text.length);
  return wholeCharacters(text.slice(start, start + 1 + below(12))) || "nothing";
}

function someAscii(text: string, below: (most: number) => number): string {
  const words = text.match(/[\w:{}]{2,8}/gu) ?? [];
  return words[below(words.length)] ?? "nothing";
}

/** Without halves of characters at either end: a request has to be proper Unicode. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/u, "").replace(/[\uD800-\uDBFF]$/u, "");
}

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/giu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** The same string twice, once to be shown and once not, would have no right answer. */
function unique(stops: readonly PlannedStop[], ignoresCase: boolean): readonly PlannedStop[] {
  const key = ({ text }: PlannedStop): string => (ignoresCase ? text.toLowerCase() : text);
  return stops.filter((stop, index) => stops.findIndex((each) => key(each) === key(stop)) === index);
}

function shuffle<T>(list: readonly T[], below: (most: number) => number): readonly T[] {
  return list
    .map((each) => ({ each, place: below(1e6) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each);
}
