/** A piece of an answer, as a provider sends it. */
export type Piece =
  | { readonly channel: "reasoning"; readonly text: string }
  | { readonly channel: "text"; readonly text: string }
  | {
      readonly channel: "call";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isFirst: boolean;
      readonly isLast: boolean;
    };

/** A call of a tool, whole. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

/** What a model has to say, before it is cut into pieces: thinking, then text, then calls. */
export interface Content {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly Call[];
  /** Where in the text a line begins that is then repeated; undefined where none is. */
  readonly loopAt: number | undefined;
  /** Cuts it into pieces, of which some are tiny. */
  cut(random: () => number, keepsCallsWhole: boolean, isCoarse: boolean): readonly Piece[];
}

/** What is wanted of a content. */
export interface ContentWishes {
  /** Begins each word, so that nothing can be taken for what belongs to another generation. */
  readonly stem: string;
  readonly loops: boolean;
  readonly thinks: boolean;
  readonly isLarge: boolean;
}

/** What models write, and readers of streams stumble over. */
const ODDITIES = [
  "ü",
  "日本語。",
  "🙂",
  "👩‍👩‍👧‍👦",
  "e\u0301",
  "שלום",
  "🏳️‍🌈!",
  '"quoted\\" ',
  "data: [DONE]\n\n",
  "\n\n",
  "\r\n",
  "event: error\ndata: {}\n\n",
  "\u2028",
  "</answer>",
  "STOP",
  "𝒳𝒴",
  "\t",
] as const;

const REPETITIONS = 60;

/** Plans what a model has to say. */
export function planContent(random: () => number, { stem, loops, thinks, isLarge }: ContentWishes): Content {
  const below = (most: number): number => Math.floor(random() * most);
  const write = (mark: string, words: number): string =>
    Array.from({ length: words }, (_, index) => {
      const odd = below(4) === 0 ? (ODDITIES[below(ODDITIES.length)] ?? "") : "";
      return `${stem}${mark}${index}${odd}${below(9) === 0 ? ". " : " "}`;
    }).join("");
  const reasoning = thinks ? write("t", 15 + below(30)) : below(10) < 4 ? write("t", 1 + below(30)) : "";
  const said = below(12) === 0 ? "" : write("w", isLarge ? largeOf(below) : 1 + below(below(8) === 0 ? 600 : 50));
  const line = `The very same line of ${stem} again and again.\n`;
  const calls = below(10) < 2 && !loops ? planCalls(stem, 1 + below(3), below) : [];
  const text = loops
    ? said + line.repeat(REPETITIONS)
    : said === "" && calls.length === 0 && reasoning === ""
      ? "!"
      : said;
  return {
    reasoning,
    text,
    calls,
    loopAt: loops ? said.length : undefined,
    cut: (cutting, keepsCallsWhole, isCoarse) => [
      ...cutText(reasoning, cutting, isCoarse).map((each) => ({ channel: "reasoning", text: each }) as const),
      ...cutText(text, cutting, isCoarse).map((each) => ({ channel: "text", text: each }) as const),
      ...calls.flatMap(({ id, name, json }, index) => {
        const parts = keepsCallsWhole ? [json] : cutText(json, cutting, false);
        return parts.map((each, place): Piece => {
          const isLast = place === parts.length - 1;
          return { channel: "call", index, id, name, text: each, isFirst: place === 0, isLast };
        });
      }),
    ],
  };
}

/** Now and then so much that it does not fit into the buffers on the way. */
function largeOf(below: (most: number) => number): number {
  return below(40) === 0 ? 150_000 : 2000 + below(8000);
}

function planCalls(stem: string, count: number, below: (most: number) => number): readonly Call[] {
  return Array.from({ length: count }, (_, index) => {
    const values = { city: `${stem}c${index} Zürich 🙂`, days: below(9), nested: { list: ["a", `${stem}d${index}`] } };
    return {
      id: `call_${stem}_${index}`,
      name: `tool_${below(3)}`,
      json: JSON.stringify(below(4) === 0 ? {} : values),
    };
  });
}

/** Cuts at any code unit: also through the halves of a character, as providers do that cut tokens. */
function cutText(text: string, random: () => number, isCoarse: boolean): readonly string[] {
  const pieces: string[] = [];
  const typical = isCoarse ? Math.max(40, text.length / 60) : Math.max(1 + random() * 30, text.length / 120);
  for (let start = 0; start < text.length;) {
    const size = 1 + Math.floor(random() * typical * (random() < 0.1 ? 6 : 1.5));
    pieces.push(text.slice(start, start + size));
    start += size;
  }
  return pieces;
}
