// @ts-check
import { REASONS as ALL_REASONS } from "../../scripts/docs/reasons.mjs";
import { SUBJECTS } from "./subjects.mjs";
import { NEAREST, WORD_TABLES } from "./vocabulary.mjs";

/** @typedef {import("./benchmark.mjs").AccuracyResults} AccuracyResults */
/** @typedef {import("./benchmark.mjs").SubjectResults} SubjectResults */
/** @typedef {import("./tally.mjs").Tally} Tally */

/** Reasons in the order in which tables list them. A budget is the reader's own, and no answer tells of it. */
const REASONS = ALL_REASONS.filter((reason) => reason !== "budget_exceeded");

/** The endings that are read most differently, and why it matters which way. */
const NOTABLE = [
  [
    "OpenAI Chat, stream: body ends before the finish",
    "The text is there, the word for its end never came: it may be half.",
  ],
  ["Anthropic Messages, stream: body ends before the finish", "The same in another dialect."],
  ["Gemini, stream: body ends before the finish", "The same in a dialect without an end marker."],
  ["OpenAI Chat, stream: connection breaks before the finish", "The connection is gone, which a gateway may hide."],
  ["OpenAI Chat, stream: a chunk that is no JSON", "A piece of the answer is missing from its middle."],
  ["Gemini, stream: error in mid-stream", "The error comes as one more payload."],
  ["OpenAI Chat, stream: refusal", "The word is `stop`; the refusal stands in a field of its own."],
  ["Anthropic Messages, stream: refusal", "The word is `refusal`."],
  ["Anthropic Messages, stream: pause", "`pause_turn`: the turn is to be sent back to go on."],
  ["Anthropic Messages, stream: context window full", "The answer was cut for want of room."],
  ["Anthropic Messages, stream: a word nobody knows", "Providers add words; a new one is no success."],
  ["Gemini, stream: prompt blocked", "There is no answer, only the reason why."],
  ["Gemini, stream: malformed call", "The model's call could not be read."],
  ["OpenAI-compatible, stream: stop string, as vLLM tells it", "The stop string that matched stands beside the word."],
  ["OpenAI-compatible, stream: a whole answer where a stream was asked for", "Some servers do not stream."],
  ["OpenAI-compatible, stream: an error with the status of success", "Some servers report errors with 200."],
];

/**
 * The page about accuracy, out of the results.
 *
 * @param {AccuracyResults} results
 * @returns {string}
 */
export function accuracyPage(results) {
  const { cases, subjects, date, machine } = results;
  return [
    "# Who names the ending",
    "",
    "<!-- Written by scripts/write-docs.mjs from bench/results/accuracy.json: npm run docs -->",
    "",
    `The same answers, byte for byte, were served over sockets to fullstop and to four libraries and gateways that read answers of models too, each with a client of its own. ${cases.synthetic} of the answers were written for this: every ending of four dialects, as a stream and whole, also broken off, damaged, empty and in a loop. ${cases.recorded} are recorded answers of real providers, with the ending that an independent program and a person found in them. All of these projects do much besides; this page looks at one question only: does it say how the answer ended?`,
    "",
    `Measured on ${date.slice(0, 10)} (${machine.platform}; fullstop on Node ${machine.node.slice(1)}, the others on the Node 24 that some of them ask for).`,
    "",
    "## In short",
    "",
    "**Right**: the very reason, or the nearest word there is in that project. **Vague**: an error, `other` or nothing where there was something nearer to say; a program that looks will not be misled. **Wrong**: another ending than the one that was. **False success**: those of the wrong ones after which a program takes an answer for whole that is not.",
    "",
    ...summaryTable("Synthetic answers", subjects, "synthetic"),
    ...summaryTable("Recorded answers", subjects, "recorded"),
    "llm-bridge reads streams only, so that whole answers do not count for it.",
    "",
    "## Notable differences",
    "",
    "✓ is right; anything else is the word that was given instead.",
    "",
    ...notableTable(subjects),
    "Some of these are choices that can be defended: who passes on what a provider says, and leaves the end of a body to the caller, does less and says less. The AI SDK and LangChain.js keep the provider's own word beside theirs, for programs that know it. The table shows what a caller gets to see first.",
    "",
    "The synthetic answers were written by those who write fullstop, out of what they know about providers, and fullstop's tests have long known the recorded ones. What others would have thought of is not in either set.",
    "",
    "## What counts as right",
    "",
    "A project with fewer words than fullstop is right when it uses the nearest one. An error that is thrown, or that comes as an event of the stream, counts as the word for an error, also where the stream goes on after it. Where the word is a natural end, the calls and the refusal that lie beside it count as well, whichever reading is right. Whoever throws at an HTTP status of 400 or more is right, whatever the request was refused for. Where only the provider's end marker is missing behind the finish value, to take the answer for whole and to take it for cut both count as right. A word that was joined of several of the same (`stopstop`) counts as that word.",
    "",
    "fullstop itself is held to the very reason.",
    "",
    "| what was | also right | why |",
    "| --- | --- | --- |",
    ...NEAREST.map(
      ({ expected, alsoRight, why }) =>
        `| \`${expected}\` | ${alsoRight.map((one) => `\`${one}\``).join(", ")} | ${why} |`,
    ),
    "",
    "What the words of the others mean, by their own documentation or that of the provider; any other word, or none, is `unknown`:",
    "",
    ...WORD_TABLES.flatMap(({ whose, words }) => [
      `- ${whose}: ${Object.entries(words)
        .map(([word, reason]) => `\`${word}\` ${reason}`)
        .join(", ")}.`,
    ]),
    "",
    "The AI SDK was asked with `streamText` and `generateText` and its providers for OpenAI, Anthropic and Google; LangChain.js with `stream` and `invoke` of its chat models; Portkey's gateway with OpenAI's client, as Chat Completions for all but Responses; llm-bridge with its readers of streams on the body of a `fetch`. fullstop was asked with its engine for hosted providers and the rule that looks for loops. Nobody was told to try again.",
    "",
    "## Who was taken for what",
    "",
    "What was, by row; what was reported, by column; in the words of fullstop.",
    "",
    ...subjects.flatMap((subject) => confusionTables(subject)),
    "## To repeat it",
    "",
    "```sh",
    "npm run bench -- accuracy",
    "npm run docs",
    "```",
    "",
    "The first installs the peers as `bench/peers/package-lock.json` has them, serves the answers of `bench/accuracy/synthetic` and those in `../shared/recorded` if there are any, and writes `bench/results/accuracy.json`, with every synthetic answer that somebody did not get right; the second writes this page. That fullstop gets every synthetic answer right is a test of its own.",
    "",
  ].join("\n");
}

/**
 * @param {SubjectResults} subject
 */
function titleOf({ name, version }) {
  return name === "fullstop" ? "fullstop" : `${SUBJECTS[name].label} ${version}`;
}

/**
 * @param {string} title
 * @param {readonly SubjectResults[]} subjects
 * @param {"synthetic" | "recorded"} kind
 */
function summaryTable(title, subjects, kind) {
  return [
    `| ${title} | right | vague | wrong | of these false success |`,
    "| --- | ---: | ---: | ---: | ---: |",
    ...subjects.map((subject) => {
      const { right, vague, wrong, falseSuccesses } = subject[kind];
      return `| ${titleOf(subject)} | ${right} of ${right + vague + wrong} | ${vague} | ${wrong} | ${falseSuccesses} |`;
    }),
    "",
  ];
}

/** @param {readonly SubjectResults[]} subjects */
function notableTable(subjects) {
  const rows = NOTABLE.map(([name, why]) => {
    const cells = subjects.map(({ misses }) => {
      const miss = misses.find((each) => each.name === name);
      if (miss === undefined) return "✓";
      return miss.word === "nothing" || miss.word === "an error" ? miss.word : `\`${miss.word}\``;
    });
    return `| ${name} | ${cells.join(" | ")} | ${why} |`;
  });
  const labels = subjects.map(({ name }) => SUBJECTS[name].label);
  return [
    `| answer | ${labels.join(" | ")} | |`,
    `| --- | ${labels.map(() => "---").join(" | ")} | --- |`,
    ...rows,
    "",
  ];
}

/** @param {SubjectResults} subject */
function confusionTables(subject) {
  return [
    `### ${titleOf(subject)}`,
    "",
    ...confusionTable("synthetic", subject.synthetic),
    ...confusionTable("recorded", subject.recorded),
  ];
}

/**
 * @param {string} kind
 * @param {Tally} tally
 */
function confusionTable(kind, { confusion }) {
  const rows = REASONS.filter((reason) => confusion[reason] !== undefined);
  if (rows.length === 0) return [];
  const columns = REASONS.filter((reason) => rows.some((row) => confusion[row]?.[reason] !== undefined));
  return [
    `| ${kind} | ${columns.map((column) => `\`${column}\``).join(" | ")} |`,
    `| --- | ${columns.map(() => "---:").join(" | ")} |`,
    ...rows.map((row) => `| \`${row}\` | ${columns.map((column) => confusion[row]?.[column] ?? "").join(" | ")} |`),
    "",
  ];
}
