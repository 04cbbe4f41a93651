// @ts-check
import { createTextGuard, defineStopRules } from "fullstop";
import { readChatOptions } from "../../packages/gateway/dist/chat/options.js";
import { readLines, readWish } from "../../packages/gateway/dist/chat/prompts.js";
import { UsageError } from "../../packages/gateway/dist/command-line/usage-error.js";
import { readCompletionOptions } from "../../packages/gateway/dist/completion/options.js";
import { accessKeysOf } from "../../packages/gateway/dist/config/access-keys.js";
import { ConfigError } from "../../packages/gateway/dist/config/config-error.js";
import { parseConfig } from "../../packages/gateway/dist/config/config.js";
import { providersOf } from "../../packages/gateway/dist/config/environment.js";
import { readDefaults } from "../../packages/gateway/dist/config/read-defaults.js";
import { readDoctorOptions } from "../../packages/gateway/dist/doctor/options.js";
import { fitText } from "../../packages/gateway/dist/fit.js";
import { readInspectOptions } from "../../packages/gateway/dist/inspect/options.js";
import { definePieces } from "../../packages/gateway/dist/inspect/pieces.js";
import { readModelsOptions } from "../../packages/gateway/dist/manage-models/options.js";
import { ByteGuard } from "../../packages/gateway/dist/pipe/byte-guard.js";
import { readPipeOptions } from "../../packages/gateway/dist/pipe/options.js";
import { createStopSearch } from "../../packages/gateway/dist/pipe/stop-search.js";
import { toPrintable, toPrintableLines } from "../../packages/gateway/dist/printable.js";
import { readServeOptions } from "../../packages/gateway/dist/serve/options.js";
import { parseRedisUrl } from "../../packages/gateway/dist/stores/redis-address.js";
import { readTelegramOptions } from "../../packages/gateway/dist/telegram/options.js";
import { attempt, collect, cutsOfBytes, hold, holdSame, jsonOf, sections, toText } from "../oracle.mjs";
import { hashBytes } from "../random.mjs";
import { requests, shorten, thinkingControl } from "./gateway-requests.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */

const COMMANDS = {
  serve: readServeOptions,
  telegram: readTelegramOptions,
  chat: readChatOptions,
  pipe: readPipeOptions,
  models: readModelsOptions,
  doctor: readDoctorOptions,
  inspect: readInspectOptions,
  completion: readCompletionOptions,
};

/** @type {Target} */
const commandLine = {
  name: "command-line",
  files: /gateway\/dist\/(?:[\w-]+\/options|command-line\/parse)\.js$/u,
  seeds: [
    "serve\n--port\n0\n--host\n127.0.0.1\n--config\na.json",
    "telegram\n--model\nm\n--when-busy\nqueue\n--allow-users\n1,2\n--webhook\nhttps://a.example/",
    "chat\n--model=pip\n--system\nBe brief\n--json",
    "pipe\n--stop\nEND\n--max-characters\n5\n--repetition",
    "models\npull\nhf:a/b",
    "doctor\n--json",
    "inspect\n--format\nopenai-chat\n--chunk-bytes\n7\n-",
    "completion\nbash",
    "serve\n--help",
  ],
  words: [
    ..."--port|--host|--config|--model|--gateway|--system|--stop|--json|--help|-h|--|-|--no-drafts|--drafts".split("|"),
    ..."--when-busy|--allow-users|--allow-chats|--webhook|--max-characters|--max-tokens|--max-seconds|--repetition".split(
      "|",
    ),
    ..."--format|--chunk-bytes|--status|--include|--ignore-case|--report|list|pull|remove|bash|zsh|fish|=".split("|"),
    ..."serve|telegram|chat|pipe|models|doctor|inspect|completion|__proto__|--__proto__|--constructor".split("|"),
  ],
  run(input) {
    const [name = "", ...parameters] = toText(input).split("\n");
    const readers = Object.entries(COMMANDS).filter(([command]) => !(name in COMMANDS) || command === name);
    let outcome = "";
    for (const [, read] of readers) {
      const options = attempt(() => /** @type {unknown} */ (read(parameters)), [UsageError]);
      outcome = "refusal" in options ? shorten(options.refusal.message) : options.value === "help" ? "help" : "options";
      if ("refusal" in options) {
        // eslint-disable-next-line no-control-regex -- these are what must not be there
        hold(
          !/[\u0000-\u001F\u007F]/u.test(options.refusal.message),
          "a complaint is one line",
          options.refusal.message,
        );
      }
    }
    return `${name in COMMANDS ? name : ""} ${outcome}`;
  },
};

/** @type {Target} */
const config = {
  name: "config",
  files:
    /gateway\/dist\/config\/(?:config|config-error|limits|store|read-defaults|environment|operations-settings)\.js$/u,
  seeds: [
    '{"providers":{"a":{"baseUrl":"http://127.0.0.1:1/v1","dialect":"anthropic-messages","apiKeyEnv":"K"}},"logs":{"level":"warn"}}',
    '{"keys":[{"name":"k","sha256":"0000000000000000000000000000000000000000000000000000000000000000","limits":{"requestsPerMinute":5}}],"aliases":{"a":"b"},"fallbacks":{"a":["b"]}}',
    '{"store":{"place":{"kind":"redis","url":"redis://h"},"retention":{}},"defaults":{"stop":["END"]},"metrics":{},"replica":"r"}',
    '{"models":{"m":{"file":"a.gguf"}},"limits":{}}\nOPENAI_API_KEY=sk-x\nOLLAMA_HOST=127.0.0.1:11434\nFULLSTOP_KEY_SHA256=00',
    "{}\nOLLAMA_HOST=http://[::1",
  ],
  words: [
    ..."providers|keys|aliases|fallbacks|store|place|kind|memory|file|redis|url|defaults|logs|level|metrics".split("|"),
    ..."baseUrl|dialect|apiKeyEnv|headers|name|sha256|limits|models|prices|origins|replica|retention|path|operator".split(
      "|",
    ),
    ..."OLLAMA_HOST=|OPENAI_API_KEY=|FULLSTOP_KEY_SHA256=|http://|:11434".split("|"),
  ],
  run(input) {
    const [json = "", ...lines] = toText(input).split("\n");
    const value = jsonOf(json);
    const before = JSON.stringify(value);
    const parsed = attempt(() => parseConfig(value), [ConfigError]);
    holdSame(JSON.stringify(value), before, "reading a configuration does not change it");
    const environment = Object.fromEntries(
      lines.map((line) => [line.split("=")[0] ?? "", line.split("=").slice(1).join("=")]),
    );
    attempt(() => accessKeysOf(parseConfig({}), environment), [ConfigError]);
    const providers = attempt(
      () => providersOf(environment, () => Promise.reject(new Error("no network"))),
      [ConfigError],
    );
    if ("refusal" in parsed) return shorten(parsed.refusal.message);
    attempt(() => readDefaults("defaults", parsed.value.defaults), [ConfigError]);
    return `config ${"refusal" in providers ? "refused" : providers.value.length}`;
  },
};

/** @type {Target} */
const pipe = {
  name: "pipe",
  files: /gateway\/dist\/pipe\/(?:byte-guard|byte-decoder|stop-search)\.js$/u,
  seeds: [
    "END\n%%\nThe answer END of it",
    `END\nab\n%%\n${"é€😀 plain ".repeat(300)}EN`,
    `xyz\n%%\n${"plain text ".repeat(250)}xyz`,
    new Uint8Array([...Buffer.from("a\n%%\n"), 0xf0, 0x9f, 0x98, 0xff, 0x61]),
  ],
  words: ["\n%%\n", "END", "é", "😀", "\uFFFD", "ab"],
  run(input) {
    const at = Buffer.from(input).indexOf("\n%%\n");
    const [first = ""] = sections(input);
    const bytes = at === -1 ? new Uint8Array(0) : input.subarray(at + 4);
    const stop = [...new Set(first.split("\n").filter((each) => each !== ""))].slice(0, 20);
    const plain = createTextGuard({ stop });
    const text = plain.push(toText(bytes)) + plain.end();
    for (const pieces of [[bytes], ...cutsOfBytes(bytes)]) {
      for (const search of [undefined, createStopSearch(stop)]) {
        const guard = new ByteGuard(defineStopRules({ stop }), search);
        const shown = Buffer.concat([...pieces.map((piece) => Buffer.from(guard.push(piece))), guard.end()]);
        holdSame(toText(shown), text, "the bytes are those of the text");
        holdSame(guard.signal?.stopSequence, plain.signal?.stopSequence, "the match is the same");
        const { metadata } = guard.signal?.providerSpecific ?? {};
        holdSame(metadata?.["start"], plain.signal?.providerSpecific.metadata?.["start"], "its place is the same");
      }
    }
    return plain.signal === undefined ? "none" : "match";
  },
};

/** @type {Target} */
const chatLines = {
  name: "chat-lines",
  files: /gateway\/dist\/(?:chat\/prompts|inspect\/pieces)\.js$/u,
  seeds: ["Hi\n/new\n//exit\n/exit\n", "a\r\nb", "é😀\n\n/unknown x"],
  words: ["/exit", "/new", "/help", "//", "\n", "\r\n"],
  async run(input) {
    const read = async (/** @type {readonly Uint8Array[]} */ pieces) => {
      const source = (async function* () {
        yield* pieces;
      })();
      const lines = [];
      for await (const line of readLines(source)) lines.push(line);
      return lines;
    };
    const lines = await read([input]);
    holdSame(lines.join("\n"), new TextDecoder().decode(input).replace(/\n$/u, ""), "nothing is lost");
    for (const pieces of cutsOfBytes(input)) {
      holdSame(await read(pieces), lines, "cuts do not matter");
      const anew = collect(definePieces(7), pieces);
      hold(Buffer.concat(anew).equals(input), "pieces are the bytes", anew.length);
      hold(
        anew.slice(0, -1).every(({ length }) => length === 7),
        "pieces have one size",
        anew.length,
      );
    }
    return lines
      .map((line) => readWish(line).type)
      .join()
      .slice(0, 40);
  },
};

/** @type {Target} */
const terminalText = {
  name: "terminal-text",
  files: /gateway\/dist\/(?:printable|fit)\.js$/u,
  seeds: ["plain", "\u001b[31mred\u0007\u202Eabc\n\tx", "e\u0301👨‍👩‍👧 漢字 ".repeat(9), "\u200D\u200C\uFE0F"],
  words: ["\u001b[2J", "\u202E", "\u2028", "\u009b", "漢", "👨‍👩‍👧", "e\u0301", "\uFE0F", "\u00AD"],
  run(input) {
    const text = toText(input);
    const shown = toPrintable(text);
    hold(!/(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(shown), "nothing acts on a terminal", shown);
    holdSame(toPrintable(shown), shown, "what is printable stays");
    hold(!/(?![\u200C\u200D\n\t])[\p{Cc}\p{Cf}\p{Cs}]/u.test(toPrintableLines(text)), "nor in several lines", shown);
    const columns = 1 + (hashBytes(input) % 100);
    const fitted = fitText(text, columns);
    hold(!/[\r\n]/u.test(fitted), "a line is a line", fitted);
    hold(fitted.length <= 16 * columns * 8 + 64, "a line is of bounded length", fitted.length);
    return fitted === text ? "same" : "changed";
  },
};

/** @type {Target} */
const redisUrl = {
  name: "redis-url",
  files: /gateway\/dist\/stores\/redis-address\.js$/u,
  seeds: [
    "redis://user:hunter2-hunter2@localhost:6379/0",
    "rediss://:p%40ss-p%40ss-p%40@h",
    "unix:///tmp/redis.sock?db=1",
    "redis://h/x",
    "http://x",
  ],
  words: ["redis://", "rediss://", "unix://", "@", ":", "%40", "/0", "?db=1", "#"],
  run(input) {
    const text = toText(input);
    const read = attempt(() => parseRedisUrl(text), [Error]);
    if ("refusal" in read) {
      hold(
        read.refusal.message.startsWith("The URL of a Redis server"),
        "what is no URL is refused in our words",
        read.refusal.message,
      );
      return "refused";
    }
    const { secrets, shown } = read.value;
    // A host may be called like the password, which nobody can tell from it.
    const told = secrets.filter((secret) => {
      const isNameOfHost = text.lastIndexOf(secret) > text.lastIndexOf("@");
      return secret.length > 4 && shown.includes(secret) && !isNameOfHost;
    });
    holdSame(told, [], "an address that is shown tells no secret");
    return secrets.length > 0 ? "secret" : "open";
  },
};

/** What comes into the gateway and its commands. */
export const GATEWAY_TARGETS = [
  requests,
  commandLine,
  config,
  pipe,
  chatLines,
  terminalText,
  redisUrl,
  thinkingControl,
];
