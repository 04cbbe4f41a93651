import { finish, start, text, usage } from "fullstop/testing";
import type { GenerationEvent } from "fullstop";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();

const PAGES = ["https://one.example/", "https://two.example/"] as const;

function cited(begin: number, end: number, url: string): GenerationEvent {
  return { type: "citation", start: begin, end, url, title: "A page", format: "test" };
}

const ANSWER = [
  start(),
  text("Skies "),
  text("are blue."),
  cited(0, 15, PAGES[0]),
  text(" So "),
  text("is the sea."),
  cited(19, 30, PAGES[1]),
  usage(9, 4),
  finish(),
];

const MATRIX = DIALECTS.flatMap((dialect) => DIALECTS.map((provider) => ({ dialect, provider })));

describe.each(MATRIX)("the official client of $dialect in front of $provider", ({ dialect, provider }) => {
  it.each([true, false])("is told who is quoted, stream: %s", async (stream) => {
    gateway.script(provider, ANSWER);
    const told = await CLIENTS[dialect](gateway.url)({ model: `${provider}/any-model`, stream });
    expect(told).toMatchObject({ text: "Skies are blue. So is the sea.", sources: PAGES });
  });
});

describe("an answer that a stop string ends", () => {
  it.each(DIALECTS)("says who was quoted until then (%s)", async (provider) => {
    gateway.script(provider, ANSWER);
    const ask = CLIENTS["openai-chat"](gateway.url);
    const told = await ask({ model: `${provider}/any-model`, stream: true, stop: ["the sea"] });
    // Gemini and Chat Completions say it at the end of an answer, which did not come.
    const isLate = provider === "gemini" || provider === "openai-chat";
    expect(told).toMatchObject({ text: "Skies are blue. So is ", sources: isLate ? [] : [PAGES[0]] });
  });
});

it("who is quoted is among the events of a generation", async () => {
  gateway.script("gemini", ANSWER);
  const { generationId } = await CLIENTS["openai-chat"](gateway.url)({ model: "gemini/any-model", stream: true });
  const events = await (await fetch(`${gateway.url}/v1/generations/${generationId}/events`)).text();
  expect(events).toContain('"type":"citation","start":0,"end":15,"url":"https://one.example/"');
});
