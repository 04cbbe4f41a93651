import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({ defaults: { stop: ["six"] } });
const model = "openai-chat/any-model";

type Headers = Readonly<Record<string, string>>;

/** The text that the official client of a dialect gets, with headers that it sends with every request. */
const ASK: Readonly<Record<Dialect, (headers: Headers) => Promise<string | undefined>>> = {
  async "openai-chat"(defaultHeaders) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders });
    const { choices } = await client.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] });
    return choices[0]?.message.content ?? undefined;
  },
  async "openai-responses"(defaultHeaders) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders });
    return (await client.responses.create({ model, input: "Hi" })).output_text;
  },
  async "anthropic-messages"(defaultHeaders) {
    const client = new Anthropic({ apiKey: "none", baseURL: gateway.url, maxRetries: 0, defaultHeaders });
    const messages = [{ role: "user" as const, content: "Hi" }];
    const { content } = await client.messages.create({ model, max_tokens: 99, messages });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
  async gemini(headers) {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: gateway.url, headers } });
    return (await client.models.generateContent({ model, contents: "Hi" })).text;
  },
};

describe.each(DIALECTS)("the settings in a header of the client of %s", (dialect) => {
  gateway.script("openai-chat", [start(), text("one two three four five six"), usage(9, 5), finish()]);
  const ask = (settings: string) => ASK[dialect]({ "x-fullstop-settings": settings });

  it.each([
    ['{"stop":["four"]}', "one two three "],
    ['{"stop":[{"text":"FOUR"}],"caseInsensitive":true}', "one two three "],
    ['{"maxCharacters":5}', "one t"],
    ["{}", "one two three four five "],
  ])("are taken: %s", async (settings, expected) => {
    expect(await ask(settings)).toBe(expected);
  });

  it.each(["{", "7", "[]", '{"sotp":["x"]}', '{"maxCharacters":-1}', '{"stop":[""]}'])(
    "are refused: %s",
    async (settings) => {
      const before = gateway.upstreams["openai-chat"].requests.length;
      expect(await errorOf(ask(settings))).toMatchObject({ isOfficial: true, status: 400 });
      expect(gateway.upstreams["openai-chat"].requests).toHaveLength(before);
    },
  );
});

describe("letters in a settings header beyond those of ASCII", () => {
  /** Asks with a header of these bytes, as a program sends them that knows nothing of letters. */
  async function askWith(bytes: Buffer): Promise<string> {
    const { port } = new URL(gateway.url);
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] });
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      "host: 127.0.0.1",
      "connection: close",
      "content-type: application/json",
      `content-length: ${body.length}`,
      "x-fullstop-settings: ",
    ].join("\r\n");
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n\r\n${body}`)]));
    return textOf(socket);
  }

  it.each([
    { what: "UTF-8", bytes: Buffer.from('{"stop":["日本"]}'), expected: "Fuji in " },
    { what: "Latin-1", bytes: Buffer.from('{"stop":["caf\u00e9"]}', "latin1"), expected: "Fuji in 日本, no " },
    { what: "escapes", bytes: Buffer.from(String.raw`{"stop":["\u65e5\u672c"]}`), expected: "Fuji in " },
  ])("are what was sent as $what", async ({ bytes, expected }) => {
    gateway.script("openai-chat", [start(), text("Fuji in 日本, no café"), finish()]);
    expect(await askWith(bytes)).toContain(`"content":${JSON.stringify(expected)}`);
  });
});
