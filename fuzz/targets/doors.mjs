// @ts-check
import { WIRE_FORMATS } from "fullstop/wire";
import { collect, hold, holdSame, toText } from "../oracle.mjs";
import { textsOf } from "./events.mjs";
import { talk, textOf, world } from "./gateway-world.mjs";
import { HEADER_WORDS, checkAnswer, readAnswers, writeRequest } from "./http.mjs";
import { REQUEST_SEEDS, REQUEST_WORDS } from "./request-seeds.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {import("./http.mjs").Answer} Answer */

const DOORS = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  gemini: "/v1beta/models/m:streamGenerateContent",
};

/**
 * The addresses at which models are asked.
 *
 * @type {Target}
 */
export const doors = {
  name: "gateway-doors",
  files:
    /gateway\/dist\/(?:doors\/(?:answer|background|count-tokens|door|framing|reply|stream-writer)|rules\/(?:generation-settings|stop-size|compile-rules)|access\/(?:caller-key|spending)|models\/model-(?:router|routes)|quote-value)\.js$/u,
  seeds: [
    ...Object.entries(DOORS).flatMap(([dialect, path]) => {
      const [body] = REQUEST_SEEDS[/** @type {keyof typeof DOORS} */ (dialect)];
      return [`POST ${path}\nx-api-key: a\n\n${String(body)}`];
    }),
    'POST /v1/chat/completions\nx-api-key: b\n\n{"model":"m","stream":true,"stream_options":{"include_usage":true},"stop":["END"],"messages":[{"role":"user","content":"x"}],"fullstop":{"maxCharacters":9,"onDisconnect":"continue"}}',
    'POST /v1/chat/completions\nauthorization: Bearer a\nx-fullstop-settings: {"stop":["word"],"include":true}\n\n{"model":"n","messages":[{"role":"user","content":"x"}]}',
    'POST /v1/responses\nx-api-key: a\n\n{"model":"m","input":"x","background":true}',
    'POST /v1/responses\nx-api-key: a\n\n{"model":"p/any","input":"x","stream":true,"fullstop":{"repetition":true}}',
    'POST /v1/messages\nx-api-key: a\n\n{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"x"}],"stop_sequences":["is"]}',
    'POST /v1/messages/count_tokens\nx-api-key: a\nanthropic-version: 1\n\n{"model":"m","messages":[{"role":"user","content":"x"}]}',
    'POST /v1/responses/input_tokens\nx-api-key: a\n\n{"model":"m","input":"x"}',
    'POST /v1beta/models/m:streamGenerateContent?alt=sse\nx-goog-api-key: a\n\n{"contents":[{"parts":[{"text":"x"}]}]}',
    'POST /v1beta/models/m:countTokens\nx-api-key: a\n\n{"generateContentRequest":{"model":"models/m","contents":[{"parts":[{"text":"x"}]}]}}',
    'POST /v1beta/models/n:generateContent\nx-api-key: o\n\n{"contents":[{"parts":[{"text":"x"}]}],"fullstop":{"stop":"word"}}',
    'POST /v1/chat/completions\nx-api-key: a\nx-fullstop-provider-key: k\n\n{"model":"q/any","messages":[{"role":"user","content":"x"}]}',
    "GET /v1/models\nx-api-key: b\n%%",
    "GET /v1beta/models/p/x\nx-api-key: a",
    'POST /v1/chat/completions\nx-api-key: a\n\n{"model":"endless","messages":[{"role":"user","content":"x"}]}',
  ],
  words: [
    ...REQUEST_WORDS,
    ...HEADER_WORDS,
    ..."fullstop|onDisconnect|continue|background|repetition|include|caseInsensitive|maxCharacters|maxMilliseconds".split(
      "|",
    ),
    ..."stopTokenIds|ignoreEos|minTokens|maxCost|maxReasoningTokens|x-fullstop-settings: {}|x-fullstop-provider-key: k".split(
      "|",
    ),
    ..."POST |GET |/v1/models/|:generateContent|:countTokens|?alt=sse|p/any|q/any|endless|generateContentRequest|word|END".split(
      "|",
    ),
  ],
  async run(input) {
    await world.reset();
    const written = toText(input);
    const request = writeRequest(written);
    if (request === undefined) return "none";
    const answers = readAnswers(await talk(world, [request]));
    holdSame(answers.length, 1, "a request has one answer");
    const [answer] = answers;
    if (answer === undefined) return "none";
    checkAnswer(answer);
    const path = (written.split("\n")[0] ?? "").split(" ")[1]?.split("?")[0] ?? "";
    const isAsked =
      /^(?:\/v1\/(?:chat\/completions|responses|messages)|\/v1beta\/models\/.*:(?:generate|streamGenerate)Content)$/u.test(
        path,
      );
    if (!isAsked || !written.startsWith("POST ")) return `other ${answer.status}`;
    const dialect = /** @type {keyof typeof DOORS} */ (
      path.startsWith("/v1beta")
        ? "gemini"
        : Object.keys(DOORS).find((name) => DOORS[/** @type {keyof typeof DOORS} */ (name)] === path)
    );
    checkDialect(dialect, answer);
    return `${dialect} ${answer.status} ${answer.headers["content-type"] ?? ""}`;
  },
};

/**
 * What a client of the dialect reads out of an answer is what the model has said, up to where a rule has ended it.
 *
 * @param {keyof typeof DOORS} dialect
 * @param {Answer} answer
 */
function checkDialect(dialect, { status, body, isWhole }) {
  hold(isWhole, "an answer is whole", body);
  const stage = WIRE_FORMATS[dialect].decodeStream({ status });
  const events = collect(stage, [Buffer.from(body)]);
  const last = events.at(-1);
  hold(last?.type === "finish", "an answer has an ending", events);
  const { text } = textsOf(events);
  const said = [textOf("alice"), "One more. "];
  hold(
    said.some((each) => each.startsWith(text)),
    "what is told is what was said",
    text,
  );
  if (status >= 400) holdSame(last.signal.reason, "error_termination", "a refusal is an error to its dialect");
  else if (!/"(?:status|object)":"(?:in_progress|queued)"/u.test(body))
    hold(last.signal.detail !== "truncated", "nobody takes an answer for cut off", body);
}
