/** A part of a pattern. */
type Node =
  | { readonly kind: "character"; readonly test: RegExp }
  | { readonly kind: "edge"; readonly test: (text: string, index: number) => boolean }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | { readonly kind: "look"; readonly inner: Node; readonly isBehind: boolean; readonly isNegative: boolean }
  | {
      readonly kind: "repeat";
      readonly inner: Node;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

/** Characters that stand for the classes of most patterns, and one that stands for none of them. */
const SAMPLES = [..." \t\n\ra0Z9_-./:;,=+*#@&<>[]{}()\"'`\\|!?%$^~é中\u0001"];

/** More than any pattern takes for texts of this test that does not take exponentially many. */
const MOST_STEPS = 200_000;

/**
 * How many times as many steps a pattern takes for a text of four times the length, on the worst text that was found.
 * Linear ones take about four times as many, quadratic ones sixteen times. It is matched as an engine that backtracks
 * does it, and the steps are counted, so that the result is the same on every machine.
 */
export function worstGrowth({ source, flags }: RegExp): { readonly ratio: number; readonly text: string } {
  const pattern = parsePattern(source, flags.replace("g", ""));
  const tests = charactersOf(pattern);
  // One for each class: characters that the same parts take make no difference.
  const classes = new Map<string, string>();
  for (const character of [...SAMPLES, ...source]) {
    const taken = tests.map((test) => Number(test.test(character))).join("");
    if (taken.includes("1") && !classes.has(taken)) classes.set(taken, character);
  }
  const used = [...classes.values()];
  const pairs = used.slice(0, 4).flatMap((one) => used.slice(0, 4).map((other) => one + other));
  const prefixes = prefixesOf(pattern);
  const pumps = new Set([...used, ...pairs, ...prefixes.filter((prefix) => prefix !== "" && prefix.length < 12)]);
  let worst = { ratio: 0, text: "" };
  for (const before of prefixes) {
    for (const pump of pumps) {
      for (const after of ["", "\u0001"]) {
        const steps = (length: number): number =>
          countSteps(pattern, before + pump.repeat(Math.ceil(length / pump.length)) + after, flags.includes("g"));
        const few = steps(SIZE);
        const ratio = few >= MOST_STEPS ? Infinity : steps(SIZE * 4) / few;
        if (ratio > worst.ratio) worst = { ratio, text: `${before}${pump}…${after}` };
        if (ratio > 6) return worst;
      }
    }
  }
  return worst;
}

/** Larger bounds of repetitions are taken for this one: they change how long a match takes, and not how that grows. */
const LARGEST_BOUND = 64;

/** Longer than bounded repetitions, which look quadratic as long as they are not full. */
const SIZE = 130;

class TooManySteps extends Error {}

function countSteps(pattern: Node, text: string, isGlobal: boolean): number {
  let steps = 0;
  const match = (node: Node, index: number, next: (index: number) => boolean): boolean => {
    steps += 1;
    if (steps > MOST_STEPS) throw new TooManySteps();
    switch (node.kind) {
      case "character":
        return index < text.length && node.test.test(text.charAt(index)) && next(index + 1);
      case "edge":
        return node.test(text, index) && next(index);
      case "sequence":
        return matchAll(node.items, 0, index, next);
      case "choice":
        return node.options.some((option) => match(option, index, next));
      case "look": {
        // Those that look behind are short here: each place they may begin at is tried.
        const starts = node.isBehind
          ? Array.from({ length: Math.min(index, 4) + 1 }, (_, back) => index - back)
          : [index];
        const found = starts.some((start) => match(node.inner, start, (end) => !node.isBehind || end === index));
        return found !== node.isNegative && next(index);
      }
      default:
        return repeat(node, 0, index, next);
    }
  };
  const matchAll = (items: readonly Node[], at: number, index: number, next: (index: number) => boolean): boolean => {
    const item = items[at];
    return item === undefined ? next(index) : match(item, index, (end) => matchAll(items, at + 1, end, next));
  };
  const repeat = (
    node: Extract<Node, { kind: "repeat" }>,
    count: number,
    index: number,
    next: (index: number) => boolean,
  ): boolean => {
    const again = (): boolean =>
      count < node.most &&
      match(node.inner, index, (end) => (end > index || count < node.least) && repeat(node, count + 1, end, next));
    if (count < node.least) return again();
    return node.isLazy ? next(index) || again() : again() || next(index);
  };
  try {
    for (let start = 0; start <= text.length;) {
      let end: number | undefined;
      const isFound = match(pattern, start, (index) => {
        end = index;
        return true;
      });
      if (isFound && !isGlobal) break;
      start = isFound && end !== undefined && end > start ? end : start + 1;
    }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    // As good as any number: what grows no faster than its text stays far below.
    return MOST_STEPS * 100;
  }
  return steps;
}

/** The shortest texts that lead to each place of a pattern. */
function prefixesOf(node: Node): readonly string[] {
  const items = node.kind === "sequence" ? node.items : [node];
  const prefixes = [""];
  for (const item of items) prefixes.push((prefixes.at(-1) ?? "") + exampleOf(item));
  const inner = items.flatMap((item, at) =>
    item.kind === "choice" || item.kind === "repeat" || item.kind === "look"
      ? [item.kind === "choice" ? item.options : [item.inner]]
          .flat()
          .flatMap((each) => prefixesOf(each).map((text) => (prefixes[at] ?? "") + text))
      : [],
  );
  return [...new Set([...prefixes, ...inner])];
}

function exampleOf(node: Node): string {
  switch (node.kind) {
    case "character":
      return SAMPLES.find((character) => node.test.test(character)) ?? "";
    case "sequence":
      return node.items.map(exampleOf).join("");
    case "choice":
      return exampleOf(node.options[0] ?? { kind: "sequence", items: [] });
    case "repeat":
      return exampleOf(node.inner).repeat(Math.max(1, node.least));
    default:
      return "";
  }
}

function charactersOf(node: Node): readonly RegExp[] {
  switch (node.kind) {
    case "character":
      return [node.test];
    case "sequence":
      return node.items.flatMap(charactersOf);
    case "choice":
      return node.options.flatMap(charactersOf);
    case "look":
    case "repeat":
      return charactersOf(node.inner);
    default:
      return [];
  }
}

/** Reads the pattern of a regular expression. What it does not know is an error: nothing may pass unlooked at. */
function parsePattern(source: string, flags: string): Node {
  let at = 0;
  const isMultiline = flags.includes("m");
  const one = flags.replaceAll(/[my]/gu, "");

  const parseChoice = (): Node => {
    const options = [parseSequence()];
    while (source[at] === "|") {
      at += 1;
      options.push(parseSequence());
    }
    return options.length === 1 ? options[0]! : { kind: "choice", options };
  };
  const parseSequence = (): Node => {
    const items: Node[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") items.push(parseRepeat());
    return { kind: "sequence", items };
  };
  const parseRepeat = (): Node => {
    const inner = parseAtom();
    const [found, sign, least, comma, most] = /^(?:([*+?])|\{(\d+)(,)?(\d+)?\})/u.exec(source.slice(at)) ?? [];
    if (found === undefined) return inner;
    at += found.length;
    const isLazy = source[at] === "?";
    if (isLazy) at += 1;
    if (sign !== undefined)
      return { kind: "repeat", inner, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity, isLazy };
    const upper = most === undefined ? (comma === undefined ? Number(least) : Infinity) : Number(most);
    return {
      kind: "repeat",
      inner,
      least: Math.min(Number(least), LARGEST_BOUND),
      most: upper === Infinity ? Infinity : Math.min(upper, LARGEST_BOUND),
      isLazy,
    };
  };
  const character = (text: string): Node => {
    at += text.length;
    return { kind: "character", test: new RegExp(`^(?:${text})$`, one.includes("s") ? one : `${one}s`) };
  };
  const edge = (length: number, test: (text: string, index: number) => boolean): Node => {
    at += length;
    return { kind: "edge", test };
  };
  const parseAtom = (): Node => {
    const rest = source.slice(at);
    const group = /^\((?:\?(?::|(?<look><?[=!])|<\w+>))?/u.exec(rest);
    if (group !== null) {
      at += group[0].length;
      const inner = parseChoice();
      at += 1;
      const look = group.groups?.["look"];
      return look === undefined
        ? inner
        : { kind: "look", inner, isBehind: look.startsWith("<"), isNegative: look.endsWith("!") };
    }
    if (rest.startsWith("^")) return edge(1, (text, index) => index === 0 || (isMultiline && text[index - 1] === "\n"));
    if (rest.startsWith("$"))
      return edge(1, (text, index) => index === text.length || (isMultiline && text[index] === "\n"));
    if (rest.startsWith(String.raw`\b`)) {
      const isWord = (text: string | undefined): boolean => text !== undefined && /\w/u.test(text);
      return edge(2, (text, index) => isWord(text[index - 1]) !== isWord(text[index]));
    }
    if (rest.startsWith(".")) {
      at += 1;
      return { kind: "character", test: flags.includes("s") ? /^[^]$/u : /^.$/u };
    }
    const found =
      /^(?:\[(?:[^\]\\]|\\.)*\]|\\u\{[\da-f]+\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[pP]\{[^}]+\}|\\[^ux1-9]|[^\\])/iu.exec(
        rest,
      )?.[0];
    if (found === undefined) throw new Error(`cannot read ${rest}`);
    return character(found);
  };
  const pattern = parseChoice();
  if (at < source.length) throw new Error(`cannot read ${source.slice(at)}`);
  return pattern;
}
