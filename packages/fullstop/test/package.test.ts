import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import * as fetchEntry from "../src/adapters/fetch/index.ts";
import * as aiSdk from "../src/adapters/ai-sdk/index.ts";
import * as adapters from "../src/adapters/index.ts";
import * as webStreams from "../src/adapters/web-streams/index.ts";
import * as agent from "../src/agent/index.ts";
import * as control from "../src/control/index.ts";
import * as decide from "../src/decide/index.ts";
import * as detect from "../src/detect/index.ts";
import * as engines from "../src/engines/index.ts";
import * as library from "../src/index.ts";
import * as llama from "../src/llama/index.ts";
import * as testing from "../src/testing/index.ts";
import * as wire from "../src/wire/index.ts";

/** The entries beside the main one, by name. */
const entries: Readonly<Record<string, object>> = {
  adapters,
  agent,
  "ai-sdk": aiSdk,
  control,
  decide,
  detect,
  engines,
  fetch: fetchEntry,
  llama,
  testing,
  "web-streams": webStreams,
  wire,
};

const root = path.resolve(import.meta.dirname, "../../..");
const source = path.resolve(import.meta.dirname, "../src");

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

interface Import {
  readonly from: string;
  /** Whether nothing is left of it at run time. */
  readonly isType: boolean;
  readonly specifier: string;
}

function readImports(): Import[] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.flatMap((file) => {
    const code = readFileSync(path.join(source, file), "utf8");
    const matches = code.matchAll(/(?<type>import type\s[^"]*)?(?:from|import)\s*\(?\s*"(?<specifier>[^"]+)"/g);
    return [...matches].map(({ groups }) => ({
      from: file,
      isType: groups!["type"] !== undefined,
      specifier: groups!["specifier"]!,
    }));
  });
}

/** The room of a file, as ARCHITECTURE.md calls it. */
function roomOf(file: string): string {
  if (file === "index.ts") return "index";
  const folder = path.dirname(file);
  return folder === "." ? "vocabulary" : folder.split(path.sep)[0]!;
}

/** The import table of ARCHITECTURE.md: each room and the rooms it may import. */
function readImportTable(): Map<string, readonly string[]> {
  const page = readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8");
  const section = page.split("## Imports")[1]!.split("\n## ")[0]!;
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2);
  return new Map(
    rows.map((row) => {
      const [room = "", allowed = ""] = row
        .split("|")
        .slice(1)
        .map((cell) => cell.trim());
      return [room, allowed.split(", ")];
    }),
  );
}

describe("the library", () => {
  const imports = readImports();

  it("imports nothing from outside but for the local models and the types of the AI SDK, and depends on nothing", () => {
    expect(imports.length).toBeGreaterThan(50);
    const outside = imports.filter(({ specifier }) => !specifier.startsWith("."));
    const elsewhere = outside.filter(({ from }) => roomOf(from) !== "llama");
    expect(elsewhere.filter(({ specifier }) => specifier !== "@ai-sdk/provider")).toEqual([]);
    expect(elsewhere.filter(({ from, isType }) => !isType || path.dirname(from) !== "adapters/ai-sdk")).toEqual([]);
    const manifest = JSON.parse(readFileSync(path.resolve(source, "../package.json"), "utf8")) as Manifest;
    expect(manifest).not.toHaveProperty("dependencies");
    const peers = new Set(outside.map(({ specifier }) => specifier).filter((name) => !name.startsWith("node:")));
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual([...peers].sort());
    expect(Object.keys(manifest.peerDependenciesMeta).sort()).toEqual([...peers].sort());
    expect(Object.values(manifest.peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
  });

  it("keeps to the import table of ARCHITECTURE.md", () => {
    const table = readImportTable();
    const rooms = new Set(imports.map(({ from }) => roomOf(from)));
    expect([...table.keys()].sort()).toEqual([...rooms].sort());
    const offenders = imports.filter(({ from, specifier }) => {
      if (!specifier.startsWith(".")) return false;
      const target = path.relative(source, path.resolve(source, path.dirname(from), specifier));
      return table.get(roomOf(from))?.includes(roomOf(target)) !== true;
    });
    expect(offenders).toEqual([]);
  });

  it("is at most 12 kB minified and gzipped", async () => {
    const { outputFiles } = await build({
      entryPoints: [path.join(source, "index.ts")],
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      write: false,
    });
    expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThanOrEqual(12_000);
  });

  it("exports exactly this", () => {
    expect(Object.keys(library).sort()).toMatchInlineSnapshot(`
      [
        "CHANNELS",
        "FullstopError",
        "REASONING_MARKERS",
        "cancelledSignal",
        "compose",
        "costSignal",
        "createTerminationSignal",
        "createTextGuard",
        "createUtf8Decoder",
        "deadlineSignal",
        "defineGuard",
        "defineReasoningSplitter",
        "defineStopRules",
        "detectReasoningMarkers",
        "failedSignal",
        "isTerminationSignal",
        "run",
        "runGeneration",
        "seal",
        "stopRulesFromConfig",
        "truncatedSignal",
      ]
    `);
  });

  it.each(Object.keys(entries))("exports exactly this from fullstop/%s", async (room) => {
    const exported = Object.keys(entries[room]!).sort();
    await expect(`${exported.join("\n")}\n`).toMatchFileSnapshot(`exports/${room}.txt`);
  });

  it.each(Object.entries({ ...entries, "": library }))(
    "exports the same from %s as it is built",
    async (room, exported) => {
      const built = (await import(room === "" ? "fullstop" : `fullstop/${room}`)) as object;
      expect(Object.keys(built).sort()).toEqual(Object.keys(exported).sort());
    },
  );

  it("lists every entry in its manifest", () => {
    const manifest = JSON.parse(readFileSync(path.resolve(source, "../package.json"), "utf8")) as {
      readonly exports: object;
    };
    expect(Object.keys(manifest.exports)).toEqual([".", ...Object.keys(entries).map((room) => `./${room}`)]);
  });
});
