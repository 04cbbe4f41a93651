import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FullstopError } from "../../src/errors.ts";
import type { GenerationRequest } from "../../src/request.ts";
import { expressible } from "../support/requests-expressible.ts";
import { DIALECTS, generationRequest, overTheWire } from "../support/requests.ts";
import type { Dialect } from "../support/requests.ts";
import { same } from "../support/same.ts";

const target = { model: "m" };

/** A place in a body: which of the fields to go into, and so on. */
const place = fc.array(fc.nat(20), { maxLength: 8 });

/** More levels than a recursive function can go down. */
const deep = JSON.parse(`${'{"items":'.repeat(20_000)}1${"}".repeat(20_000)}`) as unknown;

/** Reads a body that may be anything. Only the library's own error may come out of that. */
function decodeAnything(decode: Dialect["decode"], body: unknown): GenerationRequest | undefined {
  return attempt(() => decode(body, target).request);
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof FullstopError) return undefined;
    throw error;
  }
}

/** A copy of a JSON value in which one place, chosen by the path, holds something else. */
function replaceAt(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [step, ...others] = path;
  if (step === undefined || typeof value !== "object" || value === null) return replacement;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return replacement;
  const inner = replaceAt(Reflect.get(value, key), others, replacement);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}

describe.each(DIALECTS)("requests in the dialect $name", ({ name, decode, encode }) => {
  it("come back as they were but for what the dialect cannot say, each of which is a warning", () => {
    fc.assert(
      fc.property(generationRequest, (request) => {
        const { body, warnings } = encode(request);
        const expected = expressible(name, request);
        const decoded = decode(overTheWire(body), { model: request.model, stream: request.stream });
        same(decoded.request, expected.request);
        same(new Set(warnings.map(({ field }) => field)), expected.noted);
        // What the dialect itself writes is understood to the last field.
        same(decoded.warnings, []);
      }),
      { numRuns: 1000 },
    );
  });

  it("are refused with the library's own error, whatever comes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything()), (body) => {
        decodeAnything(decode, body);
      }),
      { numRuns: 1000 },
    );
  });

  it("are read or refused wherever something else stands in them, and what is read can be written", () => {
    const replacement = fc.oneof(fc.jsonValue(), fc.constantFrom(null, "", [], {}, 0, -1, true, [null], [{}]));
    fc.assert(
      fc.property(generationRequest, place, replacement, (request, at, value) => {
        const decoded = decodeAnything(decode, replaceAt(overTheWire(encode(request).body), at, value));
        // Nothing may be left of what is read that another dialect can say; that is refused as well.
        if (decoded !== undefined) for (const other of DIALECTS) attempt(() => other.encode(decoded));
      }),
      { numRuns: 1000 },
    );
  });

  it("may have any number of parts", () => {
    const content = Array.from({ length: 150_000 }, () => ({ type: "text" as const, text: "a" }));
    const request: GenerationRequest = {
      model: "m",
      messages: [
        { role: "user", content },
        { role: "assistant", content },
      ],
      maxOutputTokens: 1,
    };
    expect(decode(encode(request).body, target).request.messages[1]?.content.length).toBe(content.length);
  });

  it("may be nested to any depth in any place", () => {
    fc.assert(
      fc.property(generationRequest, place, (request, at) => {
        decodeAnything(decode, replaceAt(encode(request).body, at, deep));
      }),
      { numRuns: 100 },
    );
  });
});

describe("deeply nested values", () => {
  const [, , anthropic, gemini] = DIALECTS;

  it("are refused", () => {
    const call = { type: "tool_use", id: "t", name: "f", input: deep };
    const message = { role: "assistant", content: [call] };
    expect(() => anthropic!.decode({ model: "m", max_tokens: 1, messages: [message] })).toThrow(
      "The body must have at most 500 levels, and has more",
    );
  });

  it("are refused earlier where they have to be rewritten", () => {
    let parameters: object = {};
    for (let level = 0; level < 120; level += 1) parameters = { items: parameters };
    const tools = [{ functionDeclarations: [{ name: "f", parameters }] }];
    expect(() => gemini!.decode({ contents: [{ parts: [{ text: "Hi" }] }], tools }, target)).toThrow(
      "tools[0].functionDeclarations[0].parameters must be a schema of at most 100 levels",
    );
  });
});
