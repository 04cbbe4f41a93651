import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** The root of the repository. */
export const ROOT: string = path.resolve(import.meta.dirname, "../../../..");

/** A page of the documentation. */
export interface Page {
  /** Its path from the root of the repository. */
  readonly name: string;
  readonly text: string;
}

/** A piece of code on a page. */
export interface Snippet {
  /** Where it stands: the page and the line at which it begins. */
  readonly place: string;
  readonly page: string;
  /** What stands behind the fence, such as `ts`. */
  readonly language: string;
  readonly code: string;
}

/** Every page that people are sent to: the front page, those of the packages and of the examples, and the documentation. */
export function readPages(): readonly Page[] {
  const docs = readdirSync(path.join(ROOT, "docs"))
    .filter((file) => file.endsWith(".md"))
    .toSorted()
    .map((file) => `docs/${file}`);
  const packages = ["fullstop", "gateway", "telegram"].map((name) => `packages/${name}/README.md`);
  return ["README.md", "examples/README.md", ...packages, ...docs].map(readPage);
}

/** One page, by its path from the root. */
export function readPage(name: string): Page {
  return { name, text: readFileSync(path.join(ROOT, name), "utf8") };
}

/** The pieces of code of a page, in some languages or in all. */
export function snippetsOf({ name, text }: Page, ...languages: readonly string[]): readonly Snippet[] {
  return [...text.matchAll(/^```(?<language>\w+)\n(?<code>.*?)^```$/gmsu)]
    .map(({ groups = {}, index }) => ({
      place: `${name}:${text.slice(0, index).split("\n").length}`,
      page: name,
      language: groups["language"] ?? "",
      code: groups["code"] ?? "",
    }))
    .filter(({ language }) => languages.length === 0 || languages.includes(language));
}

/** What a snippet says it prints: the comments behind its `console.log` lines. */
export function promisesOf({ code }: Snippet): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (?<output>.*)$/gmu)].map(({ groups }) => groups?.["output"] ?? "");
}
