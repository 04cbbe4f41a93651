// @ts-check
import { createRequire } from "node:module";
import { isTerminationSignal } from "fullstop";
import { soFar, summarise } from "../../packages/gateway/dist/generations/summary.js";
import { RedisDocuments } from "../../packages/gateway/dist/stores/redis-documents.js";
import { RedisIndex } from "../../packages/gateway/dist/stores/redis-index.js";
import { createRedisKeys, decodeName, encodeName } from "../../packages/gateway/dist/stores/redis-keys.js";
import { ENDED } from "../../packages/gateway/dist/stores/redis-scripts.js";
import {
  parseBatches,
  parseCount,
  parseEnded,
  parseOrders,
  parseRecord,
  parseRecords,
  parseSignal,
  parseText,
} from "../../packages/gateway/dist/stores/redis-values.js";
import { SqliteDocuments, placeOf } from "../../packages/gateway/dist/stores/sqlite-documents.js";
import { endInterrupted } from "../../packages/gateway/dist/stores/sqlite-recovery.js";
import { RunningGenerations } from "../../packages/gateway/dist/stores/sqlite-running.js";
import { prepareSchema } from "../../packages/gateway/dist/stores/sqlite-schema.js";
import { Statements } from "../../packages/gateway/dist/stores/sqlite-statements.js";
import { EventWriter } from "../../packages/gateway/dist/stores/sqlite-writer.js";
import { StoreDamage } from "../../packages/gateway/dist/stores/stored-values.js";
import { attempt, hold, holdSame, jsonOf, toText } from "../oracle.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {import("fullstop/control").GenerationRecord} GenerationRecord */

const RECORD =
  '{"id":"a","owner":"alice","model":"m","startedAt":1767225600000,"holder":"one","labels":{"maxOutputTokens":"5"}}';
const SIGNAL =
  '{"shouldTerminate":true,"reason":"natural_completion","confidence":"high","providerSpecific":{"originalField":"f","originalValue":"stop"}}';
const EVENTS = '[{"type":"start","id":"a","model":"m"},{"type":"text","text":"marmalade"}]';
const WORDS = [
  ..."id|owner|model|startedAt|holder|labels|type|text|usage|reasoning|finish|signal|mode|reason|stop|skip-thinking".split(
    "|",
  ),
  ..."natural_completion|],[|},{|,|[]|null|1e400|-0|8.7e15|%7b;|%|\\ud800|generation |chunk |journal |document ".split(
    "|",
  ),
];

/**
 * Reads something back, and holds what becomes of damage to what is promised of it: it is told, and nothing is quoted.
 *
 * @template T
 * @param {() => T} read
 * @returns {{ readonly value: T } | undefined}
 */
function readBack(read) {
  const found = attempt(read, [StoreDamage]);
  if ("value" in found) return found;
  hold(
    /^what the store has is damaged: there is (?:[a-z ]+JSON|a value of the type [a-z]+|a piece of an answer) where/u.test(
      found.refusal.message,
    ),
    "damage quotes nothing",
    found.refusal.message,
  );
  return undefined;
}

/**
 * Reads a list of things that have nothing to do with each other: each of them is there if it alone would be.
 *
 * @template T
 * @param {readonly string[]} lines
 * @param {(values: readonly string[], onDamage: (damage: Error) => void) => T[]} parse
 * @returns {T[]}
 */
function readSound(lines, parse) {
  /** @type {Error[]} */
  const told = [];
  const list = parse(lines, (damage) => told.push(damage));
  const sound = lines.filter((line) => parse([line], () => undefined).length === 1);
  const expected = sound.map((line) => jsonOf(line));
  holdSame(list, expected, "a list has what each of its values says, and damage takes nothing else out of it");
  hold(told.length === (list.length === lines.length ? 0 : 1), "damage in a list is told once", told);
  for (const damage of told) {
    readBack(() => {
      throw damage;
    });
  }
  return list;
}

/**
 * Looks at a record and at events as whoever has asked for them does.
 *
 * @param {readonly GenerationRecord[]} records
 * @param {readonly (readonly import("fullstop").GenerationEvent[])[]} batches
 */
function use(records, batches) {
  for (const record of records) hold(summarise(record).startedAt.endsWith("Z"), "a record can be shown", record);
  for (const batch of batches) hold(typeof soFar(batch).text === "string", "events can be put together", batch);
}

/** @type {Target} */
const redisValues = {
  name: "redis-values",
  files: /gateway\/dist\/stores\/(?:redis-(?:values|index|documents|keys)|stored-values)\.js$/u,
  seeds: [
    RECORD,
    `${RECORD}\n${RECORD}`,
    SIGNAL,
    `${EVENTS}\n[{"type":"finish","signal":${SIGNAL}}]`,
    '{"mode":"stop","reason":"user"}\n{"mode":"skip-thinking","reason":"x"}',
    '["a",1767225600000000,12]\n["b",1,2]',
    '"text"\n"\\ud800"',
    '{"id":1}\nnull\n5],[6\n{',
    "a{b}%c\n%7b;",
  ],
  words: WORDS,
  async run(input) {
    const text = toText(input);
    const lines = text.split("\n").slice(0, 20);
    const expected = lines.map((line) => jsonOf(line));
    const batches = readBack(() => parseBatches(lines));
    if (batches !== undefined) holdSame(batches.value, expected, "a list has what each of its values says");
    const records = readSound(lines, parseRecords);
    const lists = [records, readSound(lines, parseOrders), readSound(lines, parseEnded)];
    use(records, batches?.value ?? []);
    const [first = ""] = lines;
    const singles = [parseRecord, parseSignal, parseText].map((parse) => readBack(() => parse(first)));
    for (const single of singles)
      if (single !== undefined) holdSame(single.value, expected[0], "a value is what it says");
    const count = readBack(() => parseCount(first));
    if (count !== undefined) hold(count.value >= 0 && Number.isSafeInteger(count.value), "a count is one", count);
    holdSame(decodeName(encodeName(text)), text, "a name is read as it was written");
    hold(!/[{}]/u.test(encodeName(text)) && encodeName(text) !== "", "a name does not end its tag", encodeName(text));
    await readThrough(lines);
    const lengths = lists.map(({ length }) => Math.min(length, 2)).join("");
    return lengths + [batches, ...singles, count].map((each) => (each === undefined ? "-" : "+")).join("");
  },
};

/**
 * Reads lists and documents through a connection that answers with what it is given.
 *
 * @param {readonly string[]} lines
 */
async function readThrough(lines) {
  const link = {
    send: async (/** @type {string} */ _key, /** @type {readonly string[]} */ [command]) =>
      command === "SMEMBERS" ? ["one"] : command === "EXISTS" ? 0 : command === "HGET" ? lines[0] : lines,
    run: async (/** @type {unknown} */ script) => (script === ENDED ? [["1767225600", "0"], lines] : lines),
  };
  const fake = /** @type {import("../../packages/gateway/dist/stores/redis-link.js").RedisLink} */ (
    /** @type {unknown} */ (link)
  );
  const keys = createRedisKeys("p:");
  const index = new RedisIndex(fake, keys, 1e9, () => undefined);
  const documents = new RedisDocuments(fake, keys);
  const reads = [
    () => index.running(undefined),
    () => index.running("alice"),
    () => index.abandoned(),
    () => index.ended(),
    () => index.removeLost("a"),
    () => documents.readDocument("f", "n"),
    () => documents.documentNames("f"),
  ];
  for (const read of reads) {
    await read().catch((/** @type {unknown} */ error) =>
      hold(error instanceof StoreDamage, "damage is told as such", String(error)),
    );
  }
}

/** The library of the store, as the store has it. */
const Database = /** @type {new (file: string) => Parameters<typeof prepareSchema>[0]} */ (
  createRequire(new URL("../../packages/gateway/package.json", import.meta.url))("libsql")
);
const database = new Database(":memory:");
prepareSchema(database, "memory");
const statements = new Statements(database);
const documents = new SqliteDocuments(database, { now: () => 5 });
const TABLES = {
  generation: ["key", "id", "record", "events", "bytes", "ending", "ended_at", "signal"],
  chunk: ["generation", "first", "events"],
  journal: ["row", "entries"],
  document: ["key", "folder", "name", "expires_at", "version", "value"],
};
const inserts = Object.entries(TABLES).map(([table, columns]) => ({
  table,
  columns,
  insert: database.prepare(
    `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  ),
}));
const row = (/** @type {string} */ table, /** @type {readonly unknown[]} */ ...columns) =>
  `${table} ${JSON.stringify(columns)}`;

/** @type {Target} */
const sqliteRows = {
  name: "sqlite-rows",
  files: /gateway\/dist\/stores\/(?:sqlite-(?:values|recovery|documents)|stored-values)\.js$/u,
  seeds: [
    [
      row("generation", 1, '"a"', RECORD, 3, 10, 1, 1_767_225_600_000, SIGNAL),
      row("chunk", 1, 0, EVENTS),
      row("chunk", 1, 2, `[{"type":"finish","signal":${SIGNAL}}]`),
    ].join("\n"),
    [
      row("generation", 1, '"a"', RECORD, 0, 0, null, null, null),
      row("chunk", 1, 0, EVENTS),
      row("journal", 1, '[[1,2,[{"type":"text","text":"more"}]],[9,0,[]]]'),
    ].join("\n"),
    row("document", 1, '"f"', '"n"', 9, "v", '"text"'),
    row("generation", 1, '"a"', "{}", 0, 0, null, null, null),
    `${row("journal", 1, "[[1]]")}\n${row("chunk", 1, 0, "{")}`,
  ],
  words: WORDS,
  run(input) {
    database.exec("BEGIN");
    try {
      let count = 0;
      for (const line of toText(input).split("\n").slice(0, 20)) count += insertRow(line) ? 1 : 0;
      const reads = [
        () => statements.ended(7),
        () => statements.find("a"),
        () => statements.readChunks(1, 0),
        () => statements.readChunks(1, 2),
        () => documents.read(placeOf("f", "n")),
        () => documents.names("f"),
        () => statements.unfinished(),
        () => [...statements.journal()],
        () => endInterrupted(statements, new EventWriter(statements, new RunningGenerations()), 7),
      ];
      const found = reads.map((read) => readRows(read));
      checkRecovered(found.at(-1) !== undefined);
      return `${count > 0} ${found.map((each) => (each === undefined ? "-" : "+")).join("")}`;
    } finally {
      database.exec("ROLLBACK");
    }
  },
};

/** @param {string} line */
function insertRow(line) {
  const { table, json = "" } = /^(?<table>\w+) (?<json>.*)$/su.exec(line)?.groups ?? {};
  const known = inserts.find((each) => each.table === table);
  const columns = jsonOf(json);
  if (known === undefined || !Array.isArray(columns) || columns.length !== known.columns.length) return false;
  const isPlain = columns.every((value) => value === null || typeof value === "string" || Number.isSafeInteger(value));
  // The library reads texts up to a NUL only, which is why the store writes them as JSON.
  if (!isPlain || json.includes("\\u0000")) return false;
  const done = attempt(() => known.insert.run(columns), [Error]);
  return "value" in done && done.value.changes > 0;
}

/**
 * @template T
 * @param {() => T} read
 */
function readRows(read) {
  return readBack(() => {
    try {
      return read();
    } catch (error) {
      // Some of it is read by SQLite itself, which says nothing of what stands there either.
      if (error instanceof Error && error.message.includes("malformed JSON"))
        throw new StoreDamage("a text that is no JSON");
      throw error;
    }
  });
}

/**
 * After what was left unfinished has been ended, everything has an ending, and its events are in order.
 *
 * @param {boolean} isDone
 */
function checkRecovered(isDone) {
  if (!isDone) return;
  holdSame(readRows(() => statements.unfinished())?.value, [], "nothing is left unfinished");
  const found = readRows(() => statements.find("a"));
  if (found?.value === undefined) return;
  hold(isTerminationSignal(found.value.signal), "it has an ending", found.value);
  use([found.value], []);
}

/** What is read back from where generations and documents are kept. */
export const STORE_TARGETS = [redisValues, sqliteRows];
