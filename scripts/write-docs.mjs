// Writes those parts of the documentation that are taken out of the code: `npm run docs`. With --check it only says
// which of them are out of date. It reads the packages as they are built, so build first: npx tsc -b
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { accuracyPage } from "../bench/accuracy/page.mjs";
import { fill } from "./docs/fill.mjs";
import { format } from "./docs/format.mjs";
import { fuzzingTable } from "./docs/fuzzing.mjs";
import { addressTable, openApiDocument } from "./docs/openapi.mjs";
import { finishWordTables, numberTable, providerTable, requestTable, writtenTable } from "./docs/providers.mjs";

const root = path.resolve(import.meta.dirname, "..");
const read = (/** @type {string} */ file) => readFileSync(path.join(root, file), "utf8");
const openApi = await openApiDocument();
const ledger = await fuzzingTable();

/**
 * What stands between the markers of pages, by page and marker.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, () => string>>>>}
 */
const PARTS = {
  "docs/providers.md": {
    "finish-words": finishWordTables,
    numbers: numberTable,
    providers: providerTable,
    written: writtenTable,
    requests: requestTable,
  },
  "docs/http-api.md": { addresses: () => addressTable(openApi) },
  "docs/fuzzing.md": { ledger: () => ledger },
};

/** @param {string} file */
function readJson(file) {
  return /** @type {import("../bench/accuracy/benchmark.mjs").AccuracyResults} */ (
    JSON.parse(readFileSync(path.join(root, file), "utf8"))
  );
}

/** @type {readonly (readonly [file: string, text: string])[]} */
const files = [
  ...Object.entries(PARTS).map(
    ([file, parts]) => /** @type {const} */ ([file, fill(file, read(file), "scripts/write-docs.mjs", parts)]),
  ),
  ["packages/gateway/openapi.json", JSON.stringify(openApi)],
  ["docs/accuracy.md", accuracyPage(readJson("bench/results/accuracy.json"))],
];

const outdated = files
  .map(([file, text]) => /** @type {const} */ ([file, format(file, text)]))
  .filter(([file, text]) => !existsSync(path.join(root, file)) || readFileSync(path.join(root, file), "utf8") !== text);

if (process.argv.includes("--check")) {
  for (const [file] of outdated) console.error(`${file} is out of date; npm run docs writes it anew`);
  process.exitCode = outdated.length === 0 ? 0 : 1;
} else {
  for (const [file, text] of outdated) writeFileSync(path.join(root, file), text);
  console.log(outdated.length === 0 ? "nothing has changed" : outdated.map(([file]) => `wrote ${file}`).join("\n"));
}
