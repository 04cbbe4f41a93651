import { describe, expect, it } from "vitest";
import {
  createDetector,
  createDetectorRegistry,
  createStreamingTerminationHandler,
  decodeAnyStream,
} from "../../src/detect/index.ts";
import { FullstopError } from "../../src/index.ts";

/** Calls something as a caller without types might. */
function call(action: (...values: never[]) => unknown, ...values: readonly unknown[]): () => unknown {
  return () => action(...(values as never[]));
}

const registry = createDetectorRegistry();
const detector = createDetector();
const half = { ...detector, validateTerminationSignal: undefined };
const register = (provider: never): void => registry.register(provider);
const replace = (provider: never): void => registry.replace(provider);
const names = /^formats must be one of openai-chat, openai-responses, .*cohere-chat, got "nope"$/u;

describe("a wrong call is refused at once, with the value quoted and what to do:", () => {
  it.each<[string, () => unknown, RegExp | string]>([
    ["a dialect that there is not", call(createDetector, { formats: ["openai-chat", "nope"] }), names],
    [
      "no dialect",
      call(createDetector, { formats: [] }),
      'formats must be a list of dialects, such as ["openai-chat"], got []',
    ],
    [
      "a dialect without a list",
      call(createDetector, { formats: "openai-chat" }),
      "formats must be a list of dialects",
    ],
    ["a dialect that was forgotten", call(createDetector, { formats: [undefined] }), "got null"],
    ["a name of every object", call(createDetector, { formats: ["toString"] }), 'got "toString"'],
    [
      "an option that there is not",
      call(createDetector, { format: "gemini" }),
      /^detector options has no such option; .*formats, got "format"$/u,
    ],
    [
      "an option that cannot be",
      call(createDetector, { status: "200" }),
      'status must be a whole number of at least 100, got "200"',
    ],
    ["no options", call(createDetector, null), "detector options must be an object, got null"],
    ["a dialect to assume", call(decodeAnyStream, { fallback: "nope" }), "fallback must be one of openai-chat"],
    ["a listener that is none", call(decodeAnyStream, { onFormat: 5 }), "onFormat must be a function, got 5"],
    [
      "no detector",
      call(register, { id: "acme", detector: null }),
      "provider detector must be made by createDetector, or have detectTermination, extractTerminationContext, validateTerminationSignal, got null",
    ],
    [
      "half a detector",
      call(register, { id: "acme", detector: half }),
      "provider detector must be made by createDetector",
    ],
    ["a detector in another's place", call(replace, { id: "openai", detector: undefined }), "got undefined"],
    ["no provider", call(register, undefined), "provider must be an object, got undefined"],
    ["a misspelt field", call(replace, { id: "openai", detector, capability: {} }), 'got "capability"'],
    [
      "no providers",
      call(createDetectorRegistry, null),
      "providers must be a list of descriptions, such as PROVIDERS, got null",
    ],
    [
      "a provider without an id",
      call(createStreamingTerminationHandler, [{}]),
      "providers must hold descriptions with an id and formats, got {}",
    ],
    [
      "a provider without dialects",
      call(createStreamingTerminationHandler, [{ id: "acme" }]),
      "providers acme formats must be a list of dialects",
    ],
    [
      "a provider of another dialect",
      call(createDetectorRegistry, [{ id: "acme", formats: ["nope"] }]),
      "providers acme formats must be one of",
    ],
  ])("%s", (_name, action, message) => {
    expect(action).toThrow(FullstopError);
    expect(action).toThrow(message);
  });

  it("and nothing is registered by it", () => {
    expect(registry.has("acme")).toBe(false);
    expect(registry.get("openai").detectTermination({ choices: [] }, true).detail).toBe("in_progress");
  });
});
