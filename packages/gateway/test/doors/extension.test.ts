import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import type { GenerationEvent } from "fullstop";
import { describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { askRaw } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();

const CASES = DIALECTS.flatMap((dialect) => [true, false].map((stream) => ({ dialect, stream })));

/** Whoever does not understand what only this dialect has. */
function anotherThan(dialect: Dialect): Dialect {
  return dialect === "openai-chat" ? "gemini" : "openai-chat";
}

describe.each(CASES)("the fullstop field in $dialect, stream: $stream", ({ dialect, stream }) => {
  const ask = (to: Dialect, more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    askRaw(gateway.url, dialect, { model: `${to}/any-model`, stream, more, headers });

  it("has the signal, in the last document only", async () => {
    gateway.script("openai-chat", [start(), text("Hello"), usage(9, 4), finish()]);
    const { documents, fullstop } = await ask("openai-chat");
    expect(fullstop).toMatchObject({ reason: "natural_completion", confidence: "high" });
    expect(fullstop).not.toHaveProperty("warnings");
    expect(fullstop).not.toHaveProperty("unshown");
    expect(fullstop).not.toHaveProperty("skippedThinking");
    expect(JSON.stringify(documents.slice(0, -3))).not.toContain("fullstop");
  });

  const another = anotherThan(dialect);

  it("has what of the request was not understood", async () => {
    gateway.script(another, [start(), text("Hello"), usage(9, 4), finish()]);
    const { fullstop } = await ask(another, { rapid: true });
    expect(fullstop).toMatchObject({
      warnings: [
        {
          field: "rapid",
          message: expect.stringMatching(/./u) as string,
        },
      ],
    });
  });

  it("has no more warnings than can be read", async () => {
    gateway.script(another, [start(), text("Hello"), usage(9, 4), finish()]);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field_${index}`, index]));
    const { fullstop } = await ask(another, many);
    const { warnings } = fullstop as { warnings: readonly { message: string }[] };
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)?.message).toBe("There are 30 more warnings.");
  });

  it.each([
    { rule: { stop: ["three"] }, pieces: ["One, two, ", "three, four"], characters: 11 },
    { rule: { stop: ["three"] }, pieces: ["One, two, th", "ree"], characters: 5 },
    { rule: { stop: ["three"], include: true }, pieces: ["One, two, three, four"], characters: 6 },
    { rule: { maxCharacters: 7 }, pieces: ["One, two, three"], characters: 8 },
  ])("has what came and was not shown: $rule in $pieces", async ({ rule, pieces, characters }) => {
    const gate = createGate();
    const script: (GenerationEvent | (() => Promise<void>))[] = pieces.map((piece) => text(piece));
    gateway.script("openai-chat", [start(), ...script, gate.pass, text(" never read"), finish()]);
    const { fullstop, text: body } = await ask("openai-chat", { fullstop: rule });
    expect(fullstop).toMatchObject({ unshown: { characters, estimatedTokens: Math.ceil(characters / 4) } });
    expect(body).not.toContain("four");
    gate.open();
  });

  it("counts what was not shown among the tokens that were paid for", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("a".repeat(40) + "STOP" + "b".repeat(356)), gate.pass, finish()]);
    const { fullstop, generationId } = await ask("openai-chat", { fullstop: { stop: ["STOP"] } });
    expect(fullstop).toMatchObject({ unshown: { characters: 360, estimatedTokens: 90 } });
    const events = await (await gateway.house.generations.find(generationId))!.read();
    expect(events.findLast((event) => event.type === "usage")?.usage).toMatchObject({
      outputTokens: 100,
      estimated: true,
    });
    gate.open();
  });

  it("does not count the marks around thinking as something that was not shown", async () => {
    gateway.script("openai-chat", [start(), text("<think>Hm.</think>"), text("Hello, wörld"), finish()]);
    const { fullstop } = await ask("openai-chat", { fullstop: { maxCharacters: 12 } });
    expect(fullstop).not.toHaveProperty("unshown");
  });

  it("has its rules from a header where the body has none", async () => {
    gateway.script("openai-chat", [start(), text("One, two, three"), usage(9, 4), finish()]);
    const header = { "x-fullstop-settings": '{"stop":["two"]}' };
    expect((await ask("openai-chat", {}, header)).fullstop).toMatchObject({ stopSequence: "two" });
    const both = await ask("openai-chat", { fullstop: { stop: ["three"] } }, header);
    expect(both.fullstop).toMatchObject({ stopSequence: "three" });
    const bad = await ask("openai-chat", {}, { "x-fullstop-settings": '{"sotp":[]}' });
    expect(bad.status).toBe(400);
  });
});

/** A setting that not every dialect has, where those that do have it. */
const TOP_K = { "anthropic-messages": { top_k: 5 }, gemini: { generationConfig: { topK: 5 } } } as const;

describe.each(Object.entries(TOP_K))("the fullstop field in %s", (dialect, settings) => {
  it.each([true, false])("has what the provider could not be told, stream: %s", async (stream) => {
    gateway.script("openai-responses", [start(), text("Hello"), usage(9, 4), finish()]);
    const ask = (more: object) =>
      askRaw(gateway.url, dialect as keyof typeof TOP_K, { model: "openai-responses/any-model", stream, more });
    expect((await ask(settings)).fullstop).toMatchObject({ warnings: [{ field: "sampling.topK" }] });
    // What the gateway does for itself, such as looking for stop strings, is nothing that was left out.
    expect((await ask({ fullstop: { stop: ["never"] } })).fullstop).not.toHaveProperty("warnings");
  });
});

describe("an answer that fails", () => {
  it.each(DIALECTS)("has its warnings beside the error in %s", async (dialect) => {
    const other = anotherThan(dialect);
    gateway.script(other, { status: 503, body: { error: { message: "Too busy" } } });
    const { status, documents } = await askRaw(gateway.url, dialect, {
      model: `${other}/any-model`,
      stream: false,
      more: { rapid: true },
    });
    expect(status).toBe(503);
    expect(documents).toMatchObject([{ error: { fullstop: { warnings: [{ field: "rapid" }] } } }]);
  });
});

describe("the counts of an answer that a rule has ended", () => {
  it("are estimated, whatever the provider had counted at its start", async () => {
    const gate = createGate();
    gateway.script("anthropic-messages", [start(), usage(9, 1), text("a".repeat(400)), gate.pass, finish()]);
    const { fullstop, generationId } = await askRaw(gateway.url, "openai-chat", {
      model: "anthropic-messages/any-model",
      stream: true,
      more: { fullstop: { maxCharacters: 40 } },
    });
    expect(fullstop).toMatchObject({ reason: "token_limit_reached", unshown: { characters: 360 } });
    const events = await (await gateway.house.generations.find(generationId))!.read();
    expect(events.findLast((event) => event.type === "usage")?.usage).toMatchObject({
      outputTokens: 100,
      estimated: true,
    });
    gate.open();
  });

  it("are the provider's where it has come to its own end", async () => {
    gateway.script("gemini", [start(), reasoning("Hm."), text("Hello"), usage(9, 4), finish("token_limit_reached")]);
    const { fullstop } = await askRaw(gateway.url, "openai-chat", { model: "gemini/any-model", stream: true });
    expect(fullstop).toMatchObject({ reason: "token_limit_reached" });
    expect(fullstop).not.toHaveProperty("unshown");
  });
});
