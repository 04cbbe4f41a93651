import { toJsonSchema } from "@valibot/to-json-schema";
import { describe, expect, it } from "vitest";
import { buildHouse } from "../../src/config/build-house.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { defineConfig } from "../../src/index.ts";
import { environmentProviders } from "../../src/config/environment.ts";
import { configSchema, parseConfig } from "../../src/config/config.ts";

const build = async (config: unknown, environment: Readonly<Record<string, string>> = {}) =>
  buildHouse(parseConfig(config), { FULLSTOP_STORE: "memory", ...environment });

const PROVIDERS = { vllm: { baseUrl: "http://127.0.0.1:8000/v1" } };
const CALLERS = { openai: { callerKey: true }, anthropic: { callerKey: true } };
const CALLER = { openai: { callerKey: true } } as const;
const KEY = { name: "me", sha256: "0".repeat(64) };

/** What editors go by. It leaves out what it has no words for: checks that are functions, and flags of expressions. */
const jsonSchema = () => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  ...toJsonSchema(configSchema, { target: "draft-2020-12", typeMode: "input", errorMode: "ignore" }),
});

describe("a configuration", () => {
  it("may be empty: then there is Pip", async () => {
    const { router, gatekeeper } = await build({});
    expect(router.list()).toEqual([{ id: "pip", provider: "local" }]);
    expect(gatekeeper.asksForKeys).toBe(false);
  });

  it.each([
    ["a field that is unknown", { prot: 80 }, /^the file: there is no field "prot"; its fields are .*host, port,/u],
    ["a list in place of fields", { limits: [] }, /^limits: must be Object, got a list$/u],
    ["a list in place of everything", [], /^the file: must be Object, got a list$/u],
    ["a list in place of names", { providers: [PROVIDERS.vllm] }, /^providers: must be Object, got a list$/u],
    ["a list in place of settings", { defaults: [] }, /^defaults: must be Object, got a list$/u],
    ["a port that is none", { port: 70_000 }, /^port: /u],
    [
      "an address that is none",
      { providers: { vllm: { baseUrl: "127.0.0.1:8000/v1" } } },
      /^providers\.vllm\.baseUrl: must be an address that begins with http:[^;]+$/u,
    ],
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
    ["names that lead to each other", { aliases: { a: "b", b: "a" } }, /^aliases\.a: There is no model "[ab]"/u],
    [
      "a file that is not there",
      { models: { m: { local: "/nope.gguf" } } },
      /^models\.m: There is no file "\/nope\.gguf"/u,
    ],
    ["a file that is no model", { models: { m: { local: import.meta.filename } } }, /^models\.m: .*GGUF/u],
    [
      "a key for a model that is not there",
      { keys: [{ ...KEY, models: ["pip", "pipp"] }] },
      /^keys\.0\.models: There is no model "pipp"; the models are pip/u,
    ],
    [
      "a key for a provider that is not there",
      { keys: [{ ...KEY, models: ["up/*"] }] },
      /^keys\.0\.models: there is no provider "up"/u,
    ],
    [
      "a key for a pattern",
      { providers: PROVIDERS, keys: [{ ...KEY, models: ["vllm/gpt-*"] }] },
      /^keys\.0\.models: "vllm\/gpt-\*" is no model; a pattern can be provider\/\* only/u,
    ],
    ["models to ask instead that are not there", { fallbacks: { pip: ["vllm/x"] } }, /^fallbacks\.pip: .*"vllm\/x"/u],
    ["a key instead of its hash", { keys: [{ name: "me", sha256: "secret" }] }, /^keys\.0\.sha256: (?!.*secret)/u],
    [
      "a key instead of its hash, in figures",
      { keys: [{ name: "me", sha256: 48151 }] },
      /^keys\.0\.sha256: (?!.*48151)/u,
    ],
    ["a rule that is unknown", { defaults: { sotp: "x" } }, /^defaults: .*"sotp"/u],
    [
      "a model's rule that is unknown",
      { models: { pip: { local: "pip", defaults: { sotp: 1 } } } },
      /^models\.pip\.defaults: .*"sotp"/u,
    ],
    ["a model's rules that are none", { models: { pip: { local: "pip", defaults: 7 } } }, /^models\.pip\.defaults: /u],
    [
      "a model's rule that cannot be",
      { providers: PROVIDERS, models: { "vllm/x": { defaults: { minTokens: -1 } } } },
      /^models\.vllm\/x\.defaults: .*minTokens/u,
    ],
    [
      "a key's rule that is unknown",
      { keys: [KEY, { ...KEY, defaults: { sotp: 1 } }] },
      /^keys\.1\.defaults: .*"sotp"/u,
    ],
    [
      "a key's wish that is unknown",
      { keys: [{ ...KEY, defaults: { onDisconnect: "run" } }] },
      /^keys\.0\.defaults: .*"run"/u,
    ],
    ["a limit that is none", { keys: [{ ...KEY, limits: { concurrent: 0 } }] }, /^keys\.0\.limits\.concurrent: /u],
    [
      "a limit that is unknown",
      { keys: [{ ...KEY, limits: { tokensPerHour: 1 } }] },
      /^keys\.0\.limits: .*tokensPerHour/u,
    ],
    ["two limits for one name", { keys: [KEY, { ...KEY, limits: { concurrent: 1 } }] }, /^keys\.1\.limits: .*"me"/u],
    [
      "limits for those without keys where there are keys",
      { keys: [KEY], anonymous: {} },
      /^anonymous: there are keys/u,
    ],
    [
      "a price that is none",
      { models: { pip: { local: "pip", prices: { perMillionInputTokens: -1, perMillionOutputTokens: 1 } } } },
      /^models\.pip\.prices\.perMillionInputTokens: /u,
    ],
    [
      "a price that is missing",
      { models: { pip: { local: "pip", prices: { perMillionInputTokens: 1 } } } },
      /^models\.pip\.prices\.perMillionOutputTokens: /u,
    ],
    [
      "a model that is nowhere",
      { models: { big: { defaults: {} } } },
      /^models\.big: either local, or provider and model/u,
    ],
    ["a model of a provider that is not there", { models: { "vllm/x": {} } }, /^models\.vllm\/x: .*"vllm"/u],
    [
      "a field of a model that is unknown",
      { models: { m: { provider: "vllm", model: "x", thread: 1 } } },
      /^models\.m: .*"thread"/u,
    ],
    ["a part of a model that is missing", { models: { m: { provider: "vllm" } } }, /^models\.m\.model: /u],
    [
      "keys of two at once",
      { providers: { vllm: { ...PROVIDERS.vllm, apiKeyEnv: "PATH", callerKey: true } } },
      /^providers\.vllm: apiKeyEnv and callerKey/u,
    ],
    [
      "a provider that nobody knows by its name",
      { providers: { vllm: { callerKey: true } } },
      /^providers\.vllm: baseUrl is missing; .*openai, anthropic/u,
    ],
    [
      "a caller's key that would go to somebody else",
      { providers: { ...CALLERS, ...PROVIDERS }, fallbacks: { "openai/x": ["vllm/x", "anthropic/x"] } },
      /^fallbacks\.openai\/x: anthropic is asked with the caller's key/u,
    ],
    [
      "a caller's key where none is brought",
      { providers: { ...CALLERS, ...PROVIDERS }, fallbacks: { "vllm/x": ["openai/x"] } },
      /^fallbacks\.vllm\/x: openai is asked with the caller's key/u,
    ],
    [
      "an origin with a path",
      { allowedOrigins: ["https://example.com/"] },
      /^allowedOrigins\.0: must be an origin, .*"https:\/\/example\.com\/"$/u,
    ],
    ["a name with a blank", { replica: "two words" }, /^replica: must be made of letters, .*"two words"$/u],
    ["any origin", { allowedOrigins: ["*"] }, /^allowedOrigins\.0: must be an origin/u],
    ["no origin", { allowedOrigins: ["null"] }, /^allowedOrigins\.0: must be an origin/u],
    ["a body that is none", { limits: { maxBodyBytes: 0 } }, /^limits\.maxBodyBytes: /u],
    ["a time that no timer can count", { limits: { requestMilliseconds: 2 ** 31 } }, /^limits\.requestMilliseconds: /u],
    ["a wait that no timer can count", { shutdownMilliseconds: 2 ** 31 }, /^shutdownMilliseconds: /u],
    [
      "a hash that stands there twice",
      { keys: [KEY, { ...KEY, name: "you" }] },
      /^keys\.1\.sha256: it is the hash of keys\.0, too/u,
    ],
    ["a rule that cannot be", { defaults: { maxMilliseconds: -1 } }, /^defaults: .*maxMilliseconds/u],
  ])("is refused with the field's name for %s", async (_, config, message) => {
    await expect(build(config)).rejects.toThrow(ConfigError);
    await expect(build(config)).rejects.toThrow(message);
  });

  it("has a JSON Schema, which is published with the package", async () => {
    const published = `${JSON.stringify(jsonSchema(), null, 2)}\n`;
    await expect(published).toMatchFileSnapshot("../../config.schema.json");
  });

  it("has a schema for editors", () => {
    expect(jsonSchema()).toMatchObject({
      type: "object",
      properties: { providers: { type: "object" }, keys: { type: "array" }, defaults: { type: "object" } },
      additionalProperties: false,
    });
  });

  it("names models, other names of them and models of providers", async () => {
    const { router } = await build({
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

describe("a configuration that is a module", () => {
  it("has an editor that knows its fields", async () => {
    const config = defineConfig({
      host: "127.0.0.1",
      port: 0,
      limits: { concurrent: 100, maxBodyBytes: 1000 },
      allowedOrigins: ["https://example.com", "http://localhost:5173"],
      providers: { vllm: { baseUrl: "http://127.0.0.1:8000/v1" }, ...CALLER },
      models: {
        small: { local: "pip", threads: 1, defaults: { repetition: true } },
        "vllm/large": { prices: { perMillionInputTokens: 1, perMillionOutputTokens: 2 } },
      },
      keys: [{ ...KEY, limits: { requestsPerMinute: 60, costPerDay: 0.5 }, defaults: { stop: ["END"] } }],
    });
    expect(parseConfig(config)).toMatchObject(config);
    const { router } = await build(config);
    expect(router.list().map(({ id }) => id)).toEqual(["pip", "small", "vllm/large"]);
  });
});

describe("a name of a name", () => {
  it("is the model behind both, with its fallbacks and its place in the list", async () => {
    const aliases = { first: "second", second: "third", third: "pip" };
    const { router } = await build({ aliases, providers: PROVIDERS, fallbacks: { pip: ["vllm/m"] } });
    expect(router.resolve("first")).toMatchObject([{ provider: "local" }, { provider: "vllm" }]);
    expect(router.list().map(({ id }) => id)).toEqual(["pip", "first", "second", "third"]);
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
  ])("brings a provider with %s", async (variable, name) => {
    const { router } = await build({}, { [variable]: "127.0.0.1" });
    expect(router.resolve(`${name}/m`)).toMatchObject([{ provider: name }]);
    for (const environment of [{}, { [variable]: "" }]) {
      const without = await build({}, environment);
      expect(() => without.router.resolve(`${name}/m`)).toThrow("no model");
    }
  });

  it.each([
    ["OPENAI_BASE_URL", "http://127.0.0.1:8000/v1/", "openai", "http://127.0.0.1:8000/v1"],
    ["ANTHROPIC_BASE_URL", "http://127.0.0.1:8000", "anthropic", "http://127.0.0.1:8000/v1"],
    ["ANTHROPIC_BASE_URL", "http://127.0.0.1:8000/v1", "anthropic", "http://127.0.0.1:8000/v1"],
    ["GEMINI_BASE_URL", "http://127.0.0.1:8000", "gemini", "http://127.0.0.1:8000/v1beta"],
    ["GROQ_BASE_URL", "http://127.0.0.1:8000/v1", "groq", "http://127.0.0.1:8000/v1"],
  ])("moves a provider with %s=%s, and brings it without a key", async (variable, value, name, baseUrl) => {
    const key = variable.replace("_BASE_URL", "_API_KEY");
    const [alone] = environmentProviders({ [variable]: value });
    expect(alone).toMatchObject({ name, variable, hasKey: false });
    expect(alone!.open()).toMatchObject({ baseUrl, headers: {} });
    expect(JSON.stringify(alone!.open())).not.toContain("none");
    const [keyed] = environmentProviders({ [variable]: value, [key]: "quiet-harbour" });
    expect(keyed).toMatchObject({ name, variable: key, hasKey: true });
    expect(keyed!.open().baseUrl).toBe(baseUrl);
    expect(JSON.stringify(keyed!.open().headers)).toContain("quiet-harbour");
    const { router } = await build({}, { [variable]: value });
    expect(router.resolve(`${name}/m`)).toMatchObject([{ provider: name }]);
  });

  it("counts less than the configuration", async () => {
    const { router } = await build({ providers: { openai: PROVIDERS.vllm } }, { OPENAI_API_KEY: "k" });
    expect(router.resolve("openai/m")).toMatchObject([{ provider: "openai", model: "m" }]);
    expect(router.providers()).toEqual(["openai"]);
    const { router: byCaller } = await build({ providers: { openai: { callerKey: true } } }, { OPENAI_API_KEY: "k" });
    expect(byCaller.resolve("openai/m").map((route) => "openWithKey" in route)).toEqual([true]);
  });

  it.each([
    ["OPENAI_API_KEY", "two\nlines"],
    ["OLLAMA_HOST", "http://"],
    ["OPENAI_BASE_URL", "localhost:8000/v1"],
    ["OPENAI_BASE_URL", "http://user:two@localhost/v1"],
    ["GEMINI_BASE_URL", "http://localhost?key=two"],
  ])("is refused by the variable's name for %s", async (variable, value) => {
    await expect(build({}, { [variable]: value })).rejects.toThrow(new RegExp(`^${variable}: (?!.*two)`, "u"));
  });
});
