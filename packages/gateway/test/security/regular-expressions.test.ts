import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { worstGrowth } from "./backtracking.ts";

const PACKAGES = path.resolve(import.meta.dirname, "../../..");

/** A pattern that stands in the source. */
interface Found {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

function* nodesOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value) yield { ...value };
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

/** Whether a call looks for a pattern that is neither a literal nor a constant of its file. */
function takesText(node: Readonly<Record<string, unknown>>): boolean {
  const { callee, arguments: [given] = [] } = node as {
    callee?: { property?: { name?: string } };
    arguments?: readonly { type?: string; name?: string; regex?: object }[];
  };
  if (!["match", "matchAll", "search"].includes(callee?.property?.name ?? "")) return false;
  return given?.regex === undefined && !/^[A-Z_]+$/u.test(given?.name ?? "");
}

const files = ["fullstop", "gateway", "telegram", "console"].flatMap((name) => {
  const folder = path.join(PACKAGES, name, "src");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((file) => /\.tsx?$/u.test(file) && !file.endsWith(".d.ts"))
    .map((file) => path.join(folder, file));
});

const literals: Found[] = [];
const made: string[] = [];
/** Where a pattern may be a text, which methods of strings make one of. */
const texts: string[] = [];
for (const file of files) {
  const lang = file.endsWith("x") ? "tsx" : "ts";
  const name = path.relative(PACKAGES, file);
  for (const node of nodesOf(parseAst(readFileSync(file, "utf8"), { lang }))) {
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (node["type"] === "Literal" && regex !== undefined) literals.push({ file: name, ...regex });
    const { callee } = node as { callee?: { name?: string } };
    const isMade = node["type"] === "NewExpression" || node["type"] === "CallExpression";
    if (isMade && callee?.name === "RegExp") made.push(name);
    if (isMade && takesText(node)) texts.push(name);
  }
}

/** Patterns that may take long, because what they see is short or not from outside, by where they stand. */
const EXCUSED: Readonly<Record<string, string>> = {
  "\\/+$": "addresses that whoever runs the program gives",
};

/** Patterns that are put together, each with the reason why it cannot take long. */
const MADE: Readonly<Record<string, string>> = {
  "fullstop/src/secrets.ts": "sees at most 1,200 characters, and words of at most 100",
  "fullstop/src/agent/overlap-prompt.ts": "sees the tail of an answer, 1,200 characters unless the program says more",
  "fullstop/src/agent/cut-back.ts": "sees words of bounded length before each of which stands a blank",
  "fullstop/src/agent/canonical-json.ts": "is a copy of a literal, for a position of its own",
  "gateway/src/doors/wrong-method.ts": "is made of routes, with one part or all that is left in each place",
  "gateway/src/pipe/stop-search.ts": "is made of plain strings and has no repetition",
};

describe("the checker of regular expressions", () => {
  it.each([/^(a+)+$/u, /(?:a|a)*b/u, /\s*\n/u, /\s+$/u, /^\s*(?:null)?\s*$/u, /\/\/[^/]+:[^/]+@/u, /x*x*y/gu])(
    "finds %s to take long",
    (pattern) => expect(worstGrowth(pattern).ratio).toBeGreaterThan(6),
  );

  it.each([/^\s+/u, /\s+/gu, /^a+b+$/u, /\n[ \t]*\n/u, /^[\w.-]{1,64}$/u, /[.!?](?=\s)/u, /^(?:ab|cd)+$/u])(
    "finds %s to take as long as the text is",
    (pattern) => expect(worstGrowth(pattern).ratio).toBeLessThan(6),
  );
});

describe("a regular expression", () => {
  it("stands in the source, where it is found", () => {
    expect(literals.length).toBeGreaterThan(150);
    expect([...new Set(made)].toSorted()).toEqual(Object.keys(MADE).toSorted());
    expect(texts).toEqual([]);
  });

  const distinct = [...new Map(literals.map((each) => [each.pattern + each.flags, each])).values()];

  it("takes as many steps as the text has characters, or sees little", () => {
    const slow = distinct.flatMap(({ file, pattern, flags }) => {
      if (EXCUSED[pattern] !== undefined) return [];
      const { ratio, text } = worstGrowth(new RegExp(pattern, flags));
      return ratio < 6 ? [] : [`${file}: /${pattern}/${flags} on ${JSON.stringify(text)}`];
    });
    expect(slow).toEqual([]);
  });

  it("is excused only if it needs to be", () => {
    for (const pattern of Object.keys(EXCUSED)) {
      expect(distinct.map((each) => each.pattern)).toContain(pattern);
      expect(worstGrowth(new RegExp(pattern, "u")).ratio).toBeGreaterThan(6);
    }
  });
});
