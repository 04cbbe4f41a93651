import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRemoteEngine, defineProvider } from "../../src/engines/index.ts";
import type { GenerationRequest, Message } from "../../src/index.ts";
import { wellFormedJson } from "../../src/wire/json.ts";
import { readAll } from "../support/engine-contract.ts";
import { ASKED_DIALECTS } from "../support/provider-server.ts";
import { REQUEST_FORMATS } from "../../src/wire/index.ts";

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/u;

/** A conversation in which a tool has cut its text in the middle of a character, and a model its arguments. */
const messages: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: String.raw`What does \ud83d mean? 😀` }] },
  { role: "assistant", content: [{ type: "tool-call", callId: "a", name: "look", json: '{"at":"\\ud83d"}' }] },
  { role: "tool", callId: "a", name: "look", content: [{ type: "text", text: "Hello 😀".slice(0, 7) }] },
];

describe.each(ASKED_DIALECTS)("a request in %s", (dialect) => {
  it("has no half of a character, which providers refuse", async () => {
    const bodies: string[] = [];
    const provider = defineProvider({ id: "local", format: REQUEST_FORMATS[dialect], baseUrl: "http://localhost/v1" });
    const engine = createRemoteEngine({
      provider,
      fetch: (_url, { body }) => {
        bodies.push(body as string);
        return Promise.resolve(new Response("{}"));
      },
    });
    const request: GenerationRequest = { model: "m", messages };
    await readAll(engine, request);
    const [body = ""] = bodies;
    expect(JSON.stringify(JSON.parse(body))).toContain("Hello \ufffd");
    expect(body).toContain(String.raw`What does \\ud83d mean? 😀`);
    const strings: string[] = [];
    JSON.parse(body, (_name, value: unknown) => (typeof value === "string" ? strings.push(value) : value));
    expect(strings.filter((text) => HALF.test(text))).toEqual([]);
  });
});

describe("well-formed JSON", () => {
  it("is the value itself, but for halves of characters", () => {
    const texts = fc.array(fc.constantFrom("\\", "u", "d83d", "\ud83d", "\ude00", "😀", '"', "\n", "a"));
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join("");
        expect(JSON.parse(wellFormedJson({ text }))).toEqual({ text: text.toWellFormed() });
      }),
    );
  });
});
