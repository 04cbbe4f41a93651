import { describe, expect, it } from "vitest";
import { PROVIDERS, createDetector, createDetectorRegistry } from "../../src/detect/index.ts";
import type { ProviderTerminationDetector } from "../../src/detect/index.ts";
import { createTerminationSignal } from "../../src/index.ts";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import { chatWhole } from "../support/wire-bodies.ts";

/** A detector that tells its own name. */
function named(name: string): ProviderTerminationDetector {
  return {
    ...createDetector(),
    detectTermination: () =>
      createTerminationSignal({ reason: "unknown", originalField: "detector", originalValue: name }),
  };
}

const nameOf = (detector: ProviderTerminationDetector): string =>
  detector.detectTermination({}, false).providerSpecific.originalValue;

describe("a registry of detectors", () => {
  it("knows its providers by name, in any case, and each in dialects that exist", () => {
    const registry = createDetectorRegistry();
    for (const { id, formats } of PROVIDERS) {
      expect(registry.has(id.toUpperCase())).toBe(true);
      expect(formats.every((format) => format in ANSWER_FORMATS)).toBe(true);
    }
    expect(registry.has("nobody")).toBe(false);
  });

  it("gives a version its own detector, and every other version the general one", () => {
    const registry = createDetectorRegistry([]);
    registry.register({ id: "acme", detector: named("general") });
    registry.register({ id: "acme@2023-06-01", detector: named("of 2023") });
    expect(nameOf(registry.get("acme"))).toBe("general");
    expect(nameOf(registry.get("acme@2023-06-01"))).toBe("of 2023");
    expect(nameOf(registry.get("acme@2030-01-01"))).toBe("general");
  });

  it("gives the newest version where there is no general one", () => {
    const registry = createDetectorRegistry([]);
    for (const version of ["2", "10", "9"]) {
      registry.register({ id: `acme@${version}`, detector: named(version) });
    }
    expect(nameOf(registry.get("acme"))).toBe("10");
    expect(nameOf(registry.get("acme@3"))).toBe("10");
  });

  it("replaces what is there and registers what is not, never the other way round", () => {
    const registry = createDetectorRegistry();
    expect(() => registry.register({ id: "openai", detector: named("mine") })).toThrow(
      'provider id is registered already; use replace, got "openai"',
    );
    registry.replace({ id: "openai", detector: named("mine") });
    expect(nameOf(registry.get("openai"))).toBe("mine");
    expect(() => registry.replace({ id: "acme", detector: named("mine") })).toThrow(
      'provider id is not registered; use register, got "acme"',
    );
    expect(() => registry.register({ id: "a b@", detector: named("mine") })).toThrow("must be a name");
  });

  it.each([
    ["gemini", "google"],
    ["Vertex", "google"],
    ["claude", "anthropic"],
    ["claude@2023-06-01", "anthropic"],
    ["openai-chat", "openai"],
    ["Azure-OpenAI", "azure"],
    ["grok", "xai"],
    ["x.ai", "xai"],
    ["llama.cpp", "llamacpp"],
    ["llama_cpp", "llamacpp"],
    ["LM Studio", "lmstudio"],
    ["lm-studio", "lmstudio"],
    ["hugging-face", "huggingface"],
    ["amazon-bedrock", "bedrock"],
    ["text-generation-inference", "tgi"],
    ["mistralai", "mistral"],
  ])("knows %s to be %s", (name, id) => {
    const registry = createDetectorRegistry();
    expect(registry.has(name)).toBe(true);
    expect(registry.get(name)).toBe(registry.get(id));
    expect(registry.capabilitiesOf(name)).toBe(registry.capabilitiesOf(id));
    registry.replace({ id, detector: named("mine") });
    expect(nameOf(registry.get(name))).toBe("mine");
  });

  it("takes another name of a provider for a name of the caller's as soon as it is one", () => {
    const registry = createDetectorRegistry();
    registry.replace({ id: "gemini", detector: named("Google's") });
    expect(nameOf(registry.get("google"))).toBe("Google's");
    registry.register({ id: "gemini", detector: named("mine") });
    expect(nameOf(registry.get("gemini"))).toBe("mine");
    registry.replace({ id: "gemini", detector: named("mine again") });
    expect([nameOf(registry.get("Gemini@2")), nameOf(registry.get("google"))]).toEqual(["mine again", "Google's"]);
  });

  it("knows no other names for providers that it does not have", () => {
    const [openai] = PROVIDERS;
    const registry = createDetectorRegistry([{ ...openai!, id: "constructor" }]);
    expect(registry.has("constructor")).toBe(true);
    expect(registry.has("gemini")).toBe(false);
    expect(registry.has("__proto__")).toBe(false);
  });

  it("has no name that stands for two providers", () => {
    const registry = createDetectorRegistry();
    for (const { id, capabilities } of PROVIDERS) expect(registry.capabilitiesOf(id)).toBe(capabilities);
  });

  it("is a value of its own", () => {
    const one = createDetectorRegistry();
    one.replace({ id: "openai", detector: named("mine") });
    const body = chatWhole({}, { finish_reason: "length" });
    expect(createDetectorRegistry().detectTermination("openai", body, false).reason).toBe("token_limit_reached");
  });

  it("looks providers up by what they can do", () => {
    const registry = createDetectorRegistry();
    expect(registry.capabilitiesOf("anthropic@2023-06-01")).toMatchObject({ reportsStopSequence: true });
    expect(registry.capabilitiesOf("nobody")).toBeUndefined();
    expect(registry.find({ reportsStopSequence: true })).toEqual(["vllm", "sglang", "anthropic"]);
    expect(registry.find({ reportsToolCalls: false, endMarker: "value" })).toEqual(["perplexity", "google"]);
    expect(registry.find({ canCancel: true })).toEqual(["openai", "sglang", "google"]);
    registry.register({ id: "acme", detector: createDetector() });
    expect(registry.find({})).not.toContain("acme");
  });
});
