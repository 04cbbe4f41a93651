import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { ROOT, readPage, readPages, snippetsOf } from "../support/pages.ts";
import type { Page } from "../support/pages.ts";

const pages = readPages();

/** What a heading is called in an address. */
function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "");
  return words.trim().replaceAll(/\s/gu, "-");
}

function anchorsOf({ text }: Page): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```$/gmsu, "");
  return [...prose.matchAll(/^#+ (?<heading>.*)$/gmu)].map(({ groups }) => anchorOf(groups?.["heading"] ?? ""));
}

/** Where the links of a page lead, other than to the web. */
function linksOf({ text }: Page): readonly string[] {
  return [...text.matchAll(/\]\((?<target>[^)\s]+)\)/gu)]
    .map(({ groups }) => groups?.["target"] ?? "")
    .filter((target) => !/^[a-z]+:/u.test(target));
}

describe("the links of the documentation", () => {
  it.each(pages)("lead somewhere: $name", (page) => {
    for (const target of linksOf(page)) {
      const [file = "", anchor] = target.split("#");
      const name = file === "" ? page.name : path.posix.join(path.posix.dirname(page.name), file);
      expect(existsSync(path.join(ROOT, name)), `${target} on ${page.name}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readPage(name)), `${target} on ${page.name}`).toContain(anchor);
    }
  });

  it("lead from the index to every page", () => {
    const index = linksOf(readPage("docs/README.md"));
    const files = readdirSync(path.join(ROOT, "docs")).filter((file) => file.endsWith(".md") && file !== "README.md");
    expect(files.filter((file) => !index.includes(file))).toEqual([]);
  });
});

/** The source of all packages, in one text. */
function readSource(): string {
  return ["fullstop", "gateway", "telegram"]
    .flatMap((name) => {
      const folder = path.join(ROOT, "packages", name, "src");
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
      return files.filter((file) => file.endsWith(".ts")).map((file) => readFileSync(path.join(folder, file), "utf8"));
    })
    .join("\n");
}

/** The messages that a page quotes: the code in the first cell of its tables' rows. */
function messagesOf({ text }: Page): readonly string[] {
  return [...text.matchAll(/^\| `(?<message>[^`]+)`\s*\|/gmu)].map(({ groups }) => groups?.["message"] ?? "");
}

describe("the messages that the page on troubleshooting quotes", () => {
  const source = readSource();
  const messages = messagesOf(readPage("docs/troubleshooting.md"));

  it("are many", () => {
    expect(messages.length).toBeGreaterThan(40);
  });

  it.each(messages)("are in the code: %s", (message) => {
    const parts = message.split("…").map((part) => part.replaceAll(/^[;:,.\s]+|\s+$/gu, ""));
    const known = parts.filter((part) => part.length > 3);
    expect(known.length).toBeGreaterThan(0);
    expect(known.filter((part) => !source.includes(part))).toEqual([]);
  });
});

describe("the JSON of the documentation", () => {
  const documents = pages.flatMap((page) => snippetsOf(page, "json"));

  it.each(documents)("can be read, and is a configuration where it looks like one: $place", ({ code }) => {
    // Dots stand for what is too long for a page.
    const value = JSON.parse(code.replaceAll('"sha256": "…"', `"sha256": "${"0".repeat(64)}"`)) as object;
    const isLog = "level" in value;
    expect(() => (isLog ? value : parseConfig(value))).not.toThrow();
  });
});
