// @ts-check
import { decodeLabels, encodeLabels } from "../../packages/telegram/dist/answers/labels.js";
import { decodePress } from "../../packages/telegram/dist/answers/buttons.js";
import { createMarkdownFormatter, formatMarkdown } from "../../packages/telegram/dist/text/format-markdown.js";
import { createAnswerRenderer, renderAnswer } from "../../packages/telegram/dist/text/render-answer.js";
import { splitFormatted } from "../../packages/telegram/dist/text/split-formatted.js";
import { cutsOfText, hold, holdSame, jsonOf, toText } from "../oracle.mjs";
import { hashBytes } from "../random.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {import("../../packages/telegram/dist/index.js").FormattedText} FormattedText */

/**
 * Holds a text to what Telegram asks of its entities.
 *
 * @param {FormattedText} formatted
 */
function checkFormatted({ text, entities }) {
  hold(text.isWellFormed(), "text is made of whole characters", text);
  let last = 0;
  /** @type {number[]} */
  const ends = [];
  for (const entity of entities) {
    const { offset, length } = entity;
    hold(Number.isSafeInteger(offset) && Number.isSafeInteger(length), "places are whole numbers", entity);
    hold(length > 0 && offset >= 0 && offset + length <= text.length, "entities lie in the text", { entity, text });
    hold(offset >= last, "entities are in order", entities);
    last = offset;
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= offset) ends.pop();
    const outer = ends.at(-1);
    hold(outer === undefined || offset + length <= outer, "entities lie within each other or apart", entities);
    ends.push(offset + length);
    for (const place of [offset, offset + length]) {
      const cut = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, place - 1), place + 1));
      hold(!cut, "an entity cuts no character", entity);
    }
  }
}

const SOUP = [
  ..."**|*|_|__|~~|`|``|```|```py\n|~~~\n|\n\n|  \n|\\|# |\n---\n|\n===\n|> |\n> > |- |\n  - |\n1. |- [ ] ".split("|"),
  ..."[|](|)|](https://a.example/b)|](http://localhost)|](mailto:a@b.example)|](tg://user?id=1)|![|<b>|</b>|<!--".split(
    "|",
  ),
  "\n| a | b |\n|---|:-:|\n| c | d |\n",
  "|",
  "&amp;",
  "&#0;",
  "&#x110000;",
  "https://a.example/x",
  "\u202E",
  "\u030A",
  "\u2800",
  "||",
];

const MARKDOWN_SEEDS = [
  "# Title\n\nSome **bold _and italic_** text with `code` and [a link](https://a.example/b).\n\n- one\n- two\n  - three\n",
  "```py\ndef a():\n    return 1\n```\n\n> quote **b\n> c** d\n\n| a | b |\n|---|---|\n| c | d |\n",
  "1. x\n2. y\n\n~~gone~~ &amp; &#233; <b>html</b> \\* ![image](https://a.example/i.png)\n\n---\n",
  "**half `written [link](http",
  "é😀👨‍👩‍👧 \u202Eabc\u030A\n\n\n- [ ] task\n- [x] done",
];

/** @type {Target} */
const markdown = {
  name: "telegram-markdown",
  files: /telegram\/dist\/text\/(?:format|clean|entities|links|character|text-builder)/u,
  seeds: MARKDOWN_SEEDS,
  words: SOUP,
  run(input) {
    const text = toText(input).slice(0, 3000);
    const formatted = formatMarkdown(text);
    checkFormatted(formatted);
    const grow = createMarkdownFormatter();
    const [, pieces = []] = cutsOfText(text);
    let soFar = "";
    for (const piece of pieces.length > 40 ? joinPieces(pieces) : pieces) {
      soFar += piece;
      const grown = grow(soFar);
      if (hashBytes(Buffer.from(soFar)) % 8 === 0)
        holdSame(grown, formatMarkdown(soFar), "a text that grows looks the same");
    }
    holdSame(grow(text), formatted, "a text that has grown looks the same");
    return [...new Set(formatted.entities.map(({ type }) => type))].sort().join();
  },
};

/** @param {readonly string[]} pieces */
function joinPieces(pieces) {
  const size = Math.ceil(pieces.length / 40);
  return Array.from({ length: Math.ceil(pieces.length / size) }, (_, index) =>
    pieces.slice(index * size, (index + 1) * size).join(""),
  );
}

const visible = (/** @type {string} */ text) =>
  text.replaceAll(/[\s\u00AD\u200B-\u200F\u2060\uFEFF\uFFFC\u2800\u180E\u{E0000}-\u{E007F}]/gu, "");

/** @type {Target} */
const split = {
  name: "telegram-split",
  files: /telegram\/dist\/text\/(?:split-formatted|cut|entities)\.js$/u,
  seeds: [
    ...MARKDOWN_SEEDS,
    "One. Two\nthree.\n\nFour five 你好世界。今天天气很好 ".repeat(4),
    "👨‍👩‍👧‍👦".repeat(20),
    "[a](https://a.example/) ".repeat(120),
  ],
  words: SOUP,
  run(input) {
    const text = toText(input);
    const limit = 2 + (hashBytes(input) % 60);
    const formatted = formatMarkdown(text);
    const pieces = splitFormatted(formatted, { limit, first: Math.max(2, Math.floor(limit / 2)) });
    for (const [index, piece] of pieces.entries()) {
      checkFormatted(piece);
      hold(
        piece.text.length <= (index === 0 ? Math.max(2, Math.floor(limit / 2)) : limit),
        "a piece fits its message",
        piece,
      );
      hold(piece.text.trim() !== "", "no piece is empty", piece);
      hold(piece.entities.length <= 100, "a piece has as many entities as Telegram keeps", piece.entities.length);
    }
    holdSame(
      visible(pieces.map((piece) => piece.text).join("")),
      visible(formatted.text),
      "nothing that can be seen is lost",
    );
    return pieces.length > 5 ? "many" : String(pieces.length);
  },
};

/** @type {Target} */
const answer = {
  name: "telegram-answer",
  files: /telegram\/dist\/text\/(?:render-answer|thinking|split-formatted|entities)\.js$/u,
  seeds: MARKDOWN_SEEDS.map(
    (text) => `{"notes":["searching"],"mark":"[interrupted]","isRunning":true}\nHm, let me see.\n${text}`,
  ),
  words: [...SOUP, '"notes"', '"mark"', '"isRunning"'],
  run(input) {
    const [json = "", thinking = "", ...rest] = toText(input).split("\n");
    const value = jsonOf(json);
    const set = typeof value === "object" && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};
    const notes = Array.isArray(set["notes"]) ? set["notes"].filter((note) => typeof note === "string") : [];
    const mark = typeof set["mark"] === "string" ? set["mark"] : undefined;
    const isRunning = set["isRunning"] === true;
    const text = rest.join("\n");
    const draw = createAnswerRenderer();
    for (const length of [Math.floor(text.length / 3), text.length]) {
      const view = {
        thinking: thinking.repeat(3),
        text: text.slice(0, length),
        notes,
        mark,
        isRunning,
        placeholder: "…",
      };
      const messages = draw(view);
      holdSame(messages, renderAnswer(view), "an answer that grows looks the same");
      hold(messages.length > 0, "there is always a message", view);
      for (const message of messages) {
        checkFormatted(message);
        hold(message.text.length <= 4096 && message.text.trim() !== "", "a message can be sent", message);
      }
    }
    return `${thinking === "" ? "" : "thinking"} ${mark === undefined ? "" : "mark"} ${notes.length > 0 ? "notes" : ""}`;
  },
};

/** @type {Target} */
const data = {
  name: "telegram-data",
  files: /telegram\/dist\/answers\/(?:buttons|labels)\.js$/u,
  seeds: [
    "stop:AAAAAAAAAAAAAAAAAAAAAA",
    '{"chat":"-100","chat_type":"private","user":"7","topic":"3","message":"5","draft":"9"}',
    "skip:x",
  ],
  words: [
    "stop:",
    "skip:",
    "continue:",
    "regenerate:",
    "chat",
    "chat_type",
    "private",
    "supergroup",
    "user",
    "topic",
    "1e3",
    "0x10",
    "",
  ],
  run(input) {
    const text = toText(input);
    const press = decodePress(text);
    if (press !== undefined) holdSame(`${press.action}:${press.id}`, text, "a press is what was in the button");
    const value = jsonOf(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return press?.action;
    const labels = Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === "string"));
    const decoded = decodeLabels({ labels });
    if (decoded === undefined) return "strange";
    holdSame(decodeLabels({ labels: encodeLabels(decoded) }), decoded, "labels that are written are read as they were");
    return "labels";
  },
};

/** What the bot reads and draws. */
export const TELEGRAM_TARGETS = [markdown, split, answer, data];
