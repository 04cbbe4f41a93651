import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { GenerationRequest, ToolMessage } from "../../src/index.ts";
import { call, createScriptedEngine, finish, text } from "../../src/testing/index.ts";

const request: GenerationRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "Go" }] }],
};

/** What the model is told of a call whose tool does this. */
async function told(execute: () => unknown): Promise<Pick<ToolMessage, "content" | "isError">> {
  const engine = createScriptedEngine([
    [...call("a", "work"), finish("tool_calls")],
    [text("Done."), finish()],
  ]);
  const { end, messages } = await createAgentRun({
    engine,
    request,
    tools: [defineTool({ name: "work", execute })],
  }).result();
  expect(end).toBe("completed");
  const result = messages.find(({ role }) => role === "tool") as ToolMessage;
  return { content: result.content, ...(result.isError !== undefined && { isError: result.isError }) };
}

const failure = (words: string) => ({ content: [{ type: "text", text: words }], isError: true });

describe("what a tool returns", () => {
  it.each([
    { what: "bytes", output: () => new Uint8Array(70_000), words: "The tool returned 70000 bytes, which are no text." },
    { what: "a file", output: () => Buffer.from("abc"), words: "The tool returned 3 bytes, which are no text." },
    { what: "a buffer", output: () => new ArrayBuffer(8), words: "ArrayBuffer" },
    { what: "a response", output: () => new Response("Hello"), words: "Response" },
    { what: "a map", output: () => new Map([["a", 1]]), words: "Map" },
    { what: "a set", output: () => new Set(["a"]), words: "Set" },
  ])("is told as an error where it is $what, which no model can read", async ({ output, words }) => {
    const { content, isError } = await told(output);
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(words);
  });

  it.each([
    { output: {}, words: "{}" },
    { output: Object.create({ inherited: 1 }) as object, words: "{}" },
    { output: Object.create(null) as object, words: "{}" },
    { output: { a: new Map() }, words: '{"a":{}}' },
    { output: new Date(0), words: '"1970-01-01T00:00:00.000Z"' },
  ])("is told as JSON where it has some: $words", async ({ output, words }) => {
    expect(await told(() => output)).toEqual({ content: [{ type: "text", text: words }] });
  });

  it.each([undefined, "", () => "a function"])("is nothing where there is no text: %s", async (output) => {
    expect(await told(() => output)).toEqual({ content: [] });
  });

  it.each([
    { source: { type: "url", url: "https://example.com/a.png" } },
    { source: { type: "data", mediaType: "image/png", data: "AAAA" } },
    { source: { type: "file", id: "file_1" } },
  ])("is an image where all of it is there: $source.type", async ({ source }) => {
    const content = [{ type: "image", source }];
    expect(await told(() => ({ content }))).toEqual({ content });
  });

  it.each([
    { source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    { source: { type: "data", data: "AAAA" } },
    { source: { type: "url" } },
  ])("is no image that providers would get without its data: %j", async ({ source }) => {
    const output = { content: [{ type: "image", source }] };
    expect(await told(() => output)).toEqual({ content: [{ type: "text", text: JSON.stringify(output) }] });
  });
});

describe("what a tool throws", () => {
  it.each([
    { what: "an error", thrown: new Error("No such city"), words: "No such city" },
    { what: "an object", thrown: { code: "PGRST116", message: "No rows" }, words: "No rows" },
    {
      what: "an error of another realm",
      thrown: runInNewContext('new Error("Far away")') as unknown,
      words: "Far away",
    },
    {
      what: "a refused connection",
      thrown: Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }),
      words: "ECONNREFUSED",
    },
    { what: "a text", thrown: "Closed", words: "Closed" },
    { what: "nothing", thrown: undefined, words: "The tool failed and did not say why." },
  ])("is told in its words: $what", async ({ thrown, words }) => {
    const execute = (): never => {
      throw thrown;
    };
    expect(await told(execute)).toEqual(failure(words));
  });
});
