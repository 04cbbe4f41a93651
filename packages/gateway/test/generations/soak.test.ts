import { setTimeout as sleep } from "node:timers/promises";
import type { GenerationEvent } from "fullstop";
import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { endingOf } from "../support/endings.ts";
import { get, post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import type { Reply } from "../support/upstream.ts";

const SEED = 20_260_801;
const STREAMS = 160;

const gateway = await openScripted(
  { defaults: { repetition: true } },
  { timeouts: { firstByteMilliseconds: 4000, silenceMilliseconds: 4000 } },
);

/** A seeded generator of whole numbers below a limit (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const FAULTS = [
  "none",
  "none",
  "none",
  "none",
  "close",
  "cut",
  "reset",
  "in-band",
  "stall",
  "silent",
  "garbage",
  "page",
  "429",
  "500",
  "drip",
  "repetition",
] as const;

const CONDUCTS = ["read", "read", "read", "stop", "finish-sentence", "leave", "leave-running", "leave-early"] as const;

interface Plan {
  readonly number: number;
  readonly door: Dialect;
  readonly provider: Dialect;
  readonly fault: (typeof FAULTS)[number];
  readonly conduct: (typeof CONDUCTS)[number];
  readonly pieces: readonly string[];
  readonly faultAt: number;
  readonly gap: number;
  readonly after: number;
}

function planStream(number: number): Plan {
  const random = createRandom(SEED + number);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const fault = pick(FAULTS);
  const pieces =
    fault === "repetition"
      ? Array.from({ length: 400 }, () => `The same line of ${number} once more.\n`)
      : Array.from({ length: 10 + random(20) }, (_, index) => `w${number}.${index}ü${index % 7 === 6 ? ". " : " "}`);
  return {
    number,
    fault,
    pieces,
    door: pick(DIALECTS),
    provider: pick(DIALECTS),
    conduct: pick(CONDUCTS),
    faultAt: random(pieces.length),
    gap: fault === "repetition" ? 1 : 5 + random(40),
    after: random(600),
  };
}

function replyOf({ fault, pieces, faultAt, gap }: Plan): Reply {
  const pause = () => sleep(gap);
  const speak = (some: readonly string[]) => some.flatMap((piece) => [pause, text(piece)]);
  const whole: GenerationEvent[] = [start(), ...pieces.map((piece) => text(piece)), usage(9, 4), finish()];
  switch (fault) {
    case "silent":
      return { silent: true };
    case "page":
      return { status: 200, body: "<!doctype html><title>502 Bad Gateway</title>" };
    case "429":
    case "500":
      return { status: Number(fault), body: { error: { message: "Not now" } } };
    case "drip":
      return { drip: whole };
    case "cut":
      return { steps: whole, cutAt: 100 + faultAt, by: "end" };
    case "reset":
      return { steps: whole, cutAt: 100 + faultAt, by: "reset" };
    case "close":
      return [start(), ...speak(pieces.slice(0, faultAt))];
    case "stall":
      return [start(), ...speak(pieces.slice(0, faultAt)), () => new Promise<void>(() => undefined)];
    case "garbage":
      return [start(), ...speak(pieces.slice(0, faultAt)), { raw: "\u0000\u0007 %PDF-1.7 \uFFFD\n\n" }];
    case "in-band": {
      const failure = finish("error_termination", { originalValue: "overloaded_error", message: "Busy" });
      return [start(), ...speak(pieces.slice(0, faultAt)), failure];
    }
    default:
      return [start(), ...speak(pieces), usage(9, 4), finish()];
  }
}

/** Which ends an answer may have that nobody has stopped. */
function expectedReason({ fault }: Plan): string {
  if (fault === "none" || fault === "drip") return "natural_completion";
  return fault === "repetition" ? "repetition_detected" : "error_termination";
}

const QUESTIONS: Readonly<Record<Dialect, (model: string) => readonly [path: string, body: object]>> = {
  "openai-chat": (model) => [
    "/v1/chat/completions",
    { model, stream: true, messages: [{ role: "user", content: "Hi" }] },
  ],
  "openai-responses": (model) => ["/v1/responses", { model, stream: true, input: "Hi" }],
  "anthropic-messages": (model) => [
    "/v1/messages",
    { model, stream: true, max_tokens: 9999, messages: [{ role: "user", content: "Hi" }] },
  ],
  gemini: (model) => [
    `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  ],
};

/** The text of a stream, by the field that has it in each dialect. */
function textIn(dialect: Dialect, body: string): string {
  const frames = body.split("\n").filter((line) => line.startsWith("data: {"));
  return frames.map((line) => TEXTS[dialect](JSON.parse(line.slice(6)) as never)).join("");
}

const TEXTS: Readonly<Record<Dialect, (data: never) => string>> = {
  "openai-chat": ({ choices }: { choices?: { delta?: { content?: string } }[] }) => choices?.[0]?.delta?.content ?? "",
  "openai-responses": ({ type, delta }: { type: string; delta: string }) =>
    type === "response.output_text.delta" ? delta : "",
  "anthropic-messages": ({ delta }: { delta?: { type?: string; text?: string } }) =>
    delta?.type === "text_delta" ? (delta.text ?? "") : "",
  gemini: ({ candidates }: { candidates?: { content?: { parts?: { text?: string }[] } }[] }) =>
    (candidates?.[0]?.content?.parts ?? []).map(({ text: part }) => part ?? "").join(""),
};

interface Told {
  readonly state: string;
  readonly text: string;
  readonly signal: { readonly reason: string };
}

/** Does a client's part of a plan. What it got is held against the plan and against what the gateway says. */
async function runStream(plan: Plan): Promise<string> {
  const { door, provider, number, conduct, pieces } = plan;
  const [path, question] = QUESTIONS[door](`${provider}/plan-${number}`);
  const reader = new AbortController();
  const goesOn = conduct === "leave-running";
  const fullstop = { onDisconnect: goesOn ? "continue" : "stop" };
  const asking = fetch(`${gateway.url}${path}`, {
    method: "POST",
    body: JSON.stringify({ ...question, fullstop }),
    signal: reader.signal,
  });
  if (conduct === "leave-early") {
    reader.abort();
    await expect(asking).rejects.toThrow(/abort/u);
    return "left early";
  }
  const response = await asking;
  const url = `${gateway.url}/v1/generations/${response.headers.get("x-fullstop-generation-id")}`;
  const all = pieces.join("");
  const check = ({ text: told, signal: { reason } }: Told): void => {
    expect(all.startsWith(told), `${number} says what its provider says`).toBe(true);
    if (reason === "natural_completion") expect(told).toBe(all);
    if (reason !== "cancelled")
      expect([number, plan.fault, reason]).toEqual([number, plan.fault, expectedReason(plan)]);
  };

  if (conduct === "leave" || conduct === "leave-running") {
    await sleep(plan.after);
    reader.abort();
    await response.text().catch(() => undefined);
    // The events end when the generation does.
    const events = await (await fetch(`${url}/events`)).text();
    expect(events.match(/"type":"finish"/gu)).toHaveLength(1);
    const { body } = (await get(url)) as { body: Told };
    check(body);
    if (goesOn) expect(body.signal.reason).toBe(expectedReason(plan));
    return `left: ${body.signal.reason}`;
  }
  const stopping =
    conduct === "read"
      ? undefined
      : sleep(plan.after).then(() => post(`${url}/stop`, { mode: conduct, reason: "soak" }));
  const body = await response.text();
  const ending = endingOf(door, response.status, response.headers.get("content-type") ?? "", body);
  const receipt = (await stopping)?.body as (Told & { readonly result: string }) | undefined;
  const told = (await get(url)).body as Told;
  check(told);
  expect([number, told.state, ending]).toEqual([
    number,
    "ended",
    { count: 1, isError: told.signal.reason === "error_termination" },
  ]);
  expect(textIn(door, body)).toBe(told.text);
  expect(receipt?.result === "stopped").toBe(told.signal.reason === "cancelled");
  if (receipt !== undefined) expect(receipt.text).toBe(told.text);
  return told.signal.reason;
}

describe("many streams at once, with stops, leaves and faults", () => {
  it(`all end once and honestly, lose nothing and leave nothing behind (seed ${SEED})`, async () => {
    const plans = Array.from({ length: STREAMS }, (_, number) => planStream(number));
    for (const dialect of DIALECTS) {
      gateway.script(dialect, ({ model }) => replyOf(plans[Number(model.split("-").at(-1))]!));
    }
    const ends = await Promise.all(plans.map(runStream));
    // Each kind of end has come up, or the seed is a poor one.
    for (const end of ["natural_completion", "cancelled", "error_termination", "repetition_detected"]) {
      expect(ends).toContain(end);
    }
    await Promise.all(gateway.house.generations.live().map(({ ended }) => ended));
    expect(gateway.house.generations.live()).toEqual([]);
    await Promise.all(Object.values(gateway.upstreams).map((upstream) => upstream.idle()));
  });
});
