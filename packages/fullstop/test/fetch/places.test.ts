import { describe, expect, it } from "vitest";
import { defineGuard } from "../../src/index.ts";
import type { GenerationEvent, StopRuleOptions } from "../../src/index.ts";
import { guardBytes, readEvents, signalIn, textIn } from "../support/fetch-bytes.ts";
import { formOf } from "../support/fetch-places.ts";
import type { Place } from "../support/fetch-places.ts";
import { CHAT_PLACES } from "../support/fetch-places-chat.ts";
import { GEMINI_PLACES, MESSAGES_PLACES } from "../support/fetch-places-others.ts";
import { RESPONSES_PLACES } from "../support/fetch-places-responses.ts";
import { toBytes } from "../support/wire-bodies.ts";

const PLACES: readonly Place[] = [...CHAT_PLACES, ...RESPONSES_PLACES, ...MESSAGES_PLACES, ...GEMINI_PLACES];

const BEFORE = 'Say "hi"\n🌍 ';
const STOP = "STOP#";
const SAID = `${BEFORE}${STOP} SECRET`;

/** Everything that was said, by its channel. */
function saidIn(events: readonly GenerationEvent[]): Readonly<Record<string, string>> {
  const json = events.map((event) => (event.type === "tool-call-delta" ? event.json : "")).join("");
  return { text: textIn(events), reasoning: textIn(events, "reasoning"), "tool-arguments": json };
}

function guardEvents(events: readonly GenerationEvent[], rules: StopRuleOptions): readonly GenerationEvent[] {
  const guarded: GenerationEvent[] = [];
  const sink = defineGuard(rules)({ push: (event) => void guarded.push(event), end: () => undefined });
  for (const event of events) sink.push(event);
  return guarded;
}

/** Ways to have a text in pieces that meet at, before, behind and within what matters. */
function cutsOf({ isInPieces }: Place, text: string, at: number): readonly (readonly string[])[] {
  if (!isInPieces) return [[text]];
  const cuts = [1, at - 1, at, at + 1, at + STOP.length - 1, at + STOP.length, at + STOP.length + 3];
  const halves = cuts.map((cut) => [text.slice(0, cut), text.slice(cut)]);
  return [[text], ...halves, [text.slice(0, at), text.slice(at, at + 2), text.slice(at + 2)], [...text]];
}

async function endIn(place: Place, body: string, rules: StopRuleOptions) {
  const plain = readEvents(place.dialect, toBytes(body));
  const { bytes, error, signal } = await guardBytes(place.dialect, [toBytes(body)], rules);
  expect(error).toBeUndefined();
  expect(signal).toMatchObject({ reason: "stop_sequence", stopSequence: STOP });
  const events = readEvents(place.dialect, bytes);
  expect(signalIn(events)).toMatchObject({ reason: "stop_sequence", stopSequence: STOP });
  return { out: Buffer.from(bytes).toString(), events, expected: guardEvents(plain, rules) };
}

describe.each(PLACES)("$dialect: $name", (place) => {
  const text = formOf(place, SAID);
  const rules = { stop: [{ text: STOP, scope: "all" as const }] };

  it("shows all of it before a stop string and nothing behind, wherever its pieces meet", async () => {
    for (const pieces of cutsOf(place, text, text.indexOf(STOP))) {
      const { out, events, expected } = await endIn(place, place.body(pieces, ""), rules);
      expect(out).not.toContain("SECRET");
      const said = saidIn(expected);
      expect([pieces, saidIn(events)]).toEqual([
        pieces,
        place.isLeftOut === true ? { ...said, [place.channel]: "" } : said,
      ]);
      // A call that was cut is none to run.
      expect(events.filter(({ type }) => type === "tool-call-end")).toEqual([]);
    }
  });

  const behind = place.hasAfter ? ["text behind it"] : [];
  it.for(behind)("is counted as what it is, so that %s is cut where it should be", async () => {
    const whole = formOf(place, BEFORE);
    for (const pieces of cutsOf(place, whole, 4)) {
      const { out, events, expected } = await endIn(place, place.body(pieces, `Fine ${STOP} SECRET`), { stop: [STOP] });
      expect(out).not.toContain("SECRET");
      expect([pieces, saidIn(events)]).toEqual([pieces, saidIn(expected)]);
    }
  });

  it("is the same to the byte without a stop string", async () => {
    for (const pieces of cutsOf(place, text, text.indexOf(STOP))) {
      const body = place.body(pieces, place.hasAfter ? "Fine" : "");
      const { bytes } = await guardBytes(place.dialect, [toBytes(body)], { stop: [`${STOP} SECRET!`, "🌍 STOP$"] });
      expect(Buffer.from(bytes).toString()).toBe(body);
    }
  });
});
