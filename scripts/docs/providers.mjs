// The tables of docs/providers.md: what the dialects are known to say, out of the code that reads and writes them.
import { readFileSync } from "node:fs";
import { PROVIDERS } from "../../packages/fullstop/dist/detect/index.js";
import { REQUEST_FORMATS, WIRE_FORMATS, listFinishWords } from "../../packages/fullstop/dist/wire/index.js";
import { createTerminationSignal } from "../../packages/fullstop/dist/index.js";
import { REASONS } from "./reasons.mjs";
import { code, table } from "./table.mjs";

/** @import { TerminationReason } from "../../packages/fullstop/dist/index.js" */
/** @import { FinishMeaning, WireFormat } from "../../packages/fullstop/dist/wire/index.js" */

const FINISH_WORDS = new URL("../../packages/fullstop/src/wire/reading/finish-words.ts", import.meta.url);

/** Who says a word is a comment above its row and no part of the table that runs, so it is read from the source. */
function readSections() {
  const source = readFileSync(FINISH_WORDS, "utf8");
  const rows = source.slice(source.indexOf("const ROWS"), source.indexOf("\n];"));
  /** @type {Map<string, string>} */
  const sections = new Map();
  let section = "";
  for (const line of rows.split("\n").slice(1)) {
    const heading = /^ {2}\/\/ (?<heading>.*)\.$/u.exec(line)?.groups?.["heading"];
    if (heading !== undefined) section = heading;
    const words = line.replaceAll(/\b(?:high|medium|low)\([^)]*\)/gu, "").matchAll(/"(?<word>[^"]+)"/gu);
    for (const { groups } of heading === undefined ? words : []) sections.set(groups?.["word"] ?? "", section);
  }
  return sections;
}

/** @param {FinishMeaning} meaning */
function remarkOn({ isAmbiguous, isPlaceholder }) {
  if (isAmbiguous === true) return "or a matched stop string, where the request had any; `tool_calls` after calls";
  return isPlaceholder === true ? "says nothing; another word replaces it" : "";
}

/** @returns {string} */
export function finishWordTables() {
  const sections = readSections();
  /** @type {Map<string, Map<FinishMeaning, string[]>>} */
  const groups = new Map();
  for (const [word, meaning] of listFinishWords()) {
    const section = sections.get(word);
    if (section === undefined || section === "") throw new Error(`Nobody is said to use the finish word ${word}`);
    const group = groups.get(section) ?? /** @type {Map<FinishMeaning, string[]>} */ (new Map());
    groups.set(section, group.set(meaning, [...(group.get(meaning) ?? []), word]));
  }
  const tables = [...groups].map(([section, group]) => {
    const rows = [...group].map(([meaning, words]) => [
      words.map(code).join(", "),
      code(meaning.reason),
      meaning.detail === undefined ? "" : code(meaning.detail),
      meaning.confidence,
      remarkOn(meaning),
    ]);
    return `**${section}**\n\n${table(["word", "reason", "detail", "confidence", "remark"], rows)}`;
  });
  return tables.join("\n\n");
}

/** @param {boolean} flag */
const yesOrNo = (flag) => (flag ? "yes" : "no");

/** @returns {string} */
export function providerTable() {
  const proofs = { sentinel: "a last word (`[DONE]`)", event: "an event of its own", value: "the finish value alone" };
  const rows = PROVIDERS.map(({ id, formats, capabilities }) => {
    const { reportsStopSequence, reportsToolCalls, maxStopStrings, endMarker, canCancel } = capabilities;
    return [
      code(id),
      formats.map(code).join(", "),
      yesOrNo(reportsStopSequence),
      yesOrNo(reportsToolCalls),
      maxStopStrings === Infinity ? "no known limit" : String(maxStopStrings),
      proofs[endMarker],
      yesOrNo(canCancel),
    ];
  });
  const head = ["provider", "dialects", "says which string", "word for calls", "stop strings", "proof of the end"];
  return table([...head, "can be cancelled by a call"], rows);
}

/** @returns {string} */
export function numberTable() {
  const meanings = new Map(listFinishWords());
  const rows = PROVIDERS.flatMap(({ id, finishNumbers = {} }) =>
    Object.entries(finishNumbers).map(([number, word]) => [
      code(id),
      number,
      code(word),
      code(meanings.get(word)?.reason ?? "unknown"),
    ]),
  );
  return table(["provider", "number", "word", "reason"], rows);
}

/** @typedef {Readonly<Record<string, unknown>>} Fields */

/**
 * Leaves out what is said in our own words.
 *
 * @param {string} key
 * @param {unknown} value
 */
const withoutSignal = (key, value) => (key === "fullstop" ? undefined : value);

/** @param {unknown} value */
const fieldsOf = (value) => (/** @type {Fields} */ (typeof value === "object" && value !== null ? value : {}));

/**
 * What stands where a dialect says how an answer ended; undefined for an error.
 *
 * @param {string} dialect
 * @param {Fields} body
 * @returns {unknown}
 */
function wordIn(dialect, body) {
  if ((body["error"] ?? null) !== null) return undefined;
  const [choice] = [body["choices"] ?? body["candidates"] ?? []].flat();
  if (dialect === "openai-chat") return fieldsOf(choice)["finish_reason"];
  if (dialect === "anthropic-messages") return body["stop_reason"];
  if (dialect === "gemini") return fieldsOf(choice)["finishReason"];
  const { reason } = fieldsOf(body["incomplete_details"]);
  return typeof reason === "string" ? `${String(body["status"])}: ${reason}` : body["status"];
}

/**
 * How a reason is written in a dialect, and what whoever reads only the dialect's own field takes it for.
 *
 * @param {string} dialect
 * @param {WireFormat} format
 * @param {TerminationReason} reason
 * @param {string} [detail]
 */
function writtenAs(dialect, format, reason, detail) {
  const signal = createTerminationSignal({ reason, detail, originalField: "example", originalValue: "example" });
  const { status, body } = format.encodeResponse([
    { type: "start", id: "1", model: "m" },
    { type: "text", text: "text" },
    { type: "finish", signal },
  ]);
  const bare = fieldsOf(JSON.parse(JSON.stringify(body, withoutSignal)));
  const word = status === 200 ? wordIn(dialect, bare) : undefined;
  if (word === undefined) return "an error";
  const last = format.decodeResponse(bare, { status }).at(-1);
  const read = last?.type === "finish" ? last.signal.reason : "unknown";
  const shown = word === null ? "nothing (`null`)" : code(JSON.stringify(word).replaceAll('"', ""));
  // With no calls in it, this reason is not to be seen in dialects that have no word for it.
  return read === reason || reason === "tool_calls" ? shown : `${shown}, read as ${code(read)}`;
}

/** @returns {string} */
export function writtenTable() {
  const dialects = Object.entries(WIRE_FORMATS);
  const rows = REASONS.flatMap((reason) =>
    // A cut that nobody of the caller's side wanted has words of its own.
    (reason === "cancelled" ? [undefined, "shutdown"] : [undefined]).map((detail) =>
      [detail === undefined ? code(reason) : `${code(reason)} by ${code(detail)}`].concat(
        dialects.map(([dialect, format]) => writtenAs(dialect, format, reason, detail)),
      ),
    ),
  );
  return table(["reason", ...dialects.map(([dialect]) => code(dialect))], rows);
}

/** A request that says everything that can be said. */
const FULL_REQUEST = /** @type {const} */ ({
  model: "some-model",
  stream: true,
  messages: [
    { role: "system", content: [{ type: "text", text: "Be brief." }] },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", source: { type: "url", url: "https://example.com/a.png" }, detail: "low" },
        { type: "image", source: { type: "file", id: "file-1" }, mediaType: "image/png" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Let me look." },
        { type: "tool-call", callId: "1", name: "look", json: "{}" },
      ],
    },
    { role: "tool", callId: "1", name: "look", content: [{ type: "text", text: "It failed." }], isError: true },
  ],
  tools: [
    {
      name: "look",
      description: "Looks.",
      parameters: { type: "object", properties: { times: { type: "integer", minimum: 1 } } },
      strict: true,
    },
  ],
  toolChoice: "required",
  parallelToolCalls: false,
  reasoning: { effort: "low", budgetTokens: 2000, show: true },
  stop: ["a", "b", "c", "d", "e", "f"],
  maxOutputTokens: 4000,
  sampling: { temperature: 1.5, topP: 0.5, topK: 3, presencePenalty: 0.1, frequencyPenalty: 0.1, seed: 7 },
  output: { type: "json-schema", schema: { type: "object" }, name: "shape", description: "A shape.", strict: true },
  metadata: { project: "x" },
  store: false,
  user: "somebody",
});

/** How the fields of the request above are called for people. */
const FIELD_NAMES = new Map([
  ["messages[1].content[1]", "an image at an address"],
  ["messages[1].content[1].detail", "how closely to look at an image"],
  ["messages[1].content[1].mediaType", "the media type of an image at an address"],
  ["messages[1].content[2]", "an image in a provider's file store"],
  ["messages[1].content[2].mediaType", "an image in a provider's file store"],
  ["messages[2].content[0]", "thinking without a proof of the provider's"],
  ["messages[3].isError", "that a tool has failed"],
  ["tools[0].parameters", "bounds in the parameters of a strict tool"],
  ["tools[0].strict", "that a tool is strict"],
]);

/** @returns {string} */
export function requestTable() {
  const dialects = Object.keys(REQUEST_FORMATS);
  /** @type {Map<string, Map<string, string>>} */
  const losses = new Map();
  for (const [dialect, format] of Object.entries(REQUEST_FORMATS)) {
    for (const { field, message } of format.encodeRequest(FULL_REQUEST).warnings) {
      const name = FIELD_NAMES.get(field) ?? code(field);
      if (name.includes("[")) throw new Error(`${field} needs a name in FIELD_NAMES`);
      const each = losses.get(name) ?? /** @type {Map<string, string>} */ (new Map());
      losses.set(name, each.set(dialect, message));
    }
  }
  const rows = [...losses]
    .toSorted(([first], [second]) => (first < second ? -1 : 1))
    .map(([name, each]) => [name].concat(dialects.map((dialect) => each.get(dialect) ?? "")));
  return table(["what a request says", ...dialects.map(code)], rows);
}
