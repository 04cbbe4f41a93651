import { describe, expect, it } from "vitest";
import { buildHouse } from "../../src/config/build-house.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { configJsonSchema, parseConfig } from "../../src/config/config.ts";

const build = (config: unknown, environment: Readonly<Record<string, string>> = {}) =>
  buildHouse(parseConfig(config), environment);

const PROVIDERS = { vllm: { baseUrl: "http://127.0.0.1:8000/v1" } };

describe("a configuration", () => {
  it("may be empty: then there is Pip", () => {
    const { router, gatekeeper } = build({});
    expect(router.list()).toEqual([{ id: "pip", provider: "local" }]);
    expect(gatekeeper.asksForKeys).toBe(false);
  });

  it.each([
    ["a field that is unknown", { prot: 80 }, /prot/u],
    ["a port that is none", { port: 70_000 }, /^port: /u],
    ["an address that is none", { providers: { vllm: { baseUrl: "vllm" } } }, /^providers\.vllm\.baseUrl: /u],
    [
      "an address with a password in it, without repeating it",
      { providers: { vllm: { baseUrl: "http://me:hunter2@127.0.0.1/v1" } } },
      /^providers\.vllm: (?!.*hunter2).*password/u,
    ],
    [
      "a dialect that nobody speaks",
      { providers: { vllm: { ...PROVIDERS.vllm, dialect: "latin" } } },
      /^providers\.vllm\.dialect: /u,
    ],
    [
      "a time-out that is none",
      { providers: { vllm: { ...PROVIDERS.vllm, timeouts: { silenceMilliseconds: 0 } } } },
      /^providers\.vllm\.timeouts\.silenceMilliseconds: /u,
    ],
    [
      "a variable that is not set",
      { providers: { vllm: { ...PROVIDERS.vllm, apiKeyEnv: "VLLM_KEY" } } },
      /^providers\.vllm: the variable VLLM_KEY is not set/u,
    ],
    ["a provider that is not there", { models: { m: { provider: "vllm", model: "x" } } }, /^models\.m: .*"vllm"/u],
    ["a name that leads nowhere", { aliases: { quick: "vllm/x" } }, /^aliases\.quick: There is no model/u],
    ["models to ask instead that are not there", { fallbacks: { pip: ["vllm/x"] } }, /^fallbacks\.pip: .*"vllm\/x"/u],
    ["a key instead of its hash", { keys: [{ name: "me", sha256: "secret" }] }, /^keys\.0\.sha256: (?!.*secret)/u],
    ["a rule that is unknown", { defaults: { sotp: "x" } }, /^defaults: .*"sotp"/u],
    ["a rule that cannot be", { defaults: { maxMilliseconds: -1 } }, /^defaults: .*maxMilliseconds/u],
  ])("is refused with the field's name for %s", (_, config, message) => {
    expect(() => build(config)).toThrow(ConfigError);
    expect(() => build(config)).toThrow(message);
  });

  it("has a JSON Schema, which is published with the package", async () => {
    const published = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
    await expect(published).toMatchFileSnapshot("../../config.schema.json");
  });

  it("has a schema for editors", () => {
    expect(configJsonSchema()).toMatchObject({
      type: "object",
      properties: { providers: { type: "object" }, keys: { type: "array" }, defaults: { type: "object" } },
      additionalProperties: false,
    });
  });

  it("names models, other names of them and models of providers", () => {
    const { router } = build({
      providers: PROVIDERS,
      models: { big: { provider: "vllm", model: "llama-big" } },
      aliases: { quick: "vllm/llama-small" },
      fallbacks: { big: ["quick", "pip"] },
    });
    expect(router.list()).toEqual([
      { id: "pip", provider: "local" },
      { id: "big", provider: "vllm" },
      { id: "quick", provider: "vllm" },
    ]);
    const names = (name: string) => router.resolve(name).map(({ provider, model }) => `${provider}:${model}`);
    expect(names("big")).toEqual(["vllm:llama-big", "vllm:llama-small", "local:pip"]);
    expect(names("vllm/org/model")).toEqual(["vllm:org/model"]);
    for (const name of ["vllm", "vllm/", "/x", "other/x"]) expect(() => names(name)).toThrow(`no model "${name}"`);
  });
});

describe("the environment", () => {
  it.each([
    ["OPENAI_API_KEY", "openai"],
    ["ANTHROPIC_API_KEY", "anthropic"],
    ["GEMINI_API_KEY", "gemini"],
    ["XAI_API_KEY", "xai"],
    ["OPENROUTER_API_KEY", "openrouter"],
    ["MISTRAL_API_KEY", "mistral"],
    ["DEEPSEEK_API_KEY", "deepseek"],
    ["GROQ_API_KEY", "groq"],
    ["OLLAMA_HOST", "ollama"],
  ])("brings a provider with %s", (variable, name) => {
    expect(build({}, { [variable]: "127.0.0.1" }).router.resolve(`${name}/m`)).toMatchObject([{ provider: name }]);
    for (const environment of [{}, { [variable]: "" }]) {
      expect(() => build({}, environment).router.resolve(`${name}/m`)).toThrow("no model");
    }
  });

  it("counts less than the configuration", () => {
    const { router } = build({ providers: { openai: PROVIDERS.vllm } }, { OPENAI_API_KEY: "k" });
    const [configured] = router.resolve("openai/m");
    const [found] = build({}, { OPENAI_API_KEY: "k" }).router.resolve("openai/m");
    expect(configured!.engine).not.toBe(found!.engine);
    expect(router.resolve("openai/m")).toHaveLength(1);
  });

  it.each([
    ["OPENAI_API_KEY", "two\nlines"],
    ["OLLAMA_HOST", "http://"],
  ])("is refused by the variable's name for %s", (variable, value) => {
    expect(() => build({}, { [variable]: value })).toThrow(new RegExp(`^${variable}: (?!.*two)`, "u"));
  });
});
