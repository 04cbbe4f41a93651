import fc from "fast-check";
import { reasoning, text } from "fullstop/testing";
import type { Clock, GenerationEvent } from "fullstop";
import { createTerminationSignal } from "fullstop";
import { describe, expect, it } from "vitest";
import { SENTENCE_MILLISECONDS, SentenceEnd } from "../../src/generations/sentence-end.ts";
import { LONGEST_WORD, MOST_CHARACTERS } from "../../src/generations/sentence-scanner.ts";

/** A clock that stands still until it is told to go off. */
function openClock(): Clock & { readonly waits: readonly number[]; goOff(): void } {
  const timers: { readonly milliseconds: number; readonly callback: () => void }[] = [];
  return {
    now: () => 0,
    after(milliseconds, callback) {
      const timer = { milliseconds, callback };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    get waits() {
      return timers.map(({ milliseconds }) => milliseconds);
    },
    goOff: () => timers.splice(0).forEach(({ callback }) => callback()),
  };
}

/** What is shown of events that come after an order, and what is said of its end. */
function orderIn(before: readonly GenerationEvent[], after: readonly GenerationEvent[]) {
  const stops: string[] = [];
  const clock = openClock();
  const sentenceEnd = new SentenceEnd((reason) => stops.push(reason), clock);
  const early = before.map((event) => sentenceEnd.pass(event));
  sentenceEnd.request("user", before);
  const shown = after.map((event) => sentenceEnd.pass(event)).filter((event) => event !== undefined);
  return { early, shown, stops, clock, sentenceEnd };
}

function wordsOf(events: readonly GenerationEvent[]): string {
  return events.map((event) => ("text" in event ? event.text : "")).join("");
}

/** How much of the text after the order is shown, and whether it was ended there. */
function endOf(before: string, ...after: readonly string[]) {
  const { shown, stops } = orderIn(
    [text(before)],
    after.map((each) => text(each)),
  );
  return { shown: wordsOf(shown), isEnded: stops.length === 1 };
}

describe("a stop at the end of the sentence", () => {
  it.each([
    ["It is", " late. Good night.", " late."],
    ["Is it", "? Yes", "?"],
    ['"Go', '!" he said', '!"'],
    ["(rea", "lly.) and", "lly.)"],
    ["**It ", "is.** And", "is.**"],
    ["很晚", "了。晚安", "了。"],
    ["他说：「很晚", "了。」晚安", "了。」"],
    ["क्या", "।हाँ", "।"],
    ["- o", "ne\n- two", "ne"],
    ["# Tit", "le\n\nText", "le"],
    ["It", "\nends", ""],
    ["Wai", "t… No", "t…"],
    ["Wha", "t?! No", "t?!"],
    ["Well", "... No", "..."],
    ["It is ", "3.14 in all. Yes", "3.14 in all."],
    ["It is 3.", "14 in all. Yes", "14 in all."],
    ["It is 3.", " Yes", ""],
    ["Fruit, e", ".g. apples. Yes", ".g. apples."],
    ["Fruit, e.g.", " apples. Yes", " apples."],
    ["Dr", ". No came. Yes", ". No came."],
    ["The U.S", ". has it. Yes", ". has it."],
    ["J.", " R. came. Yes", " R. came."],
    ["So do", " I. Yes", " I."],
    ["Look at exam", "ple.com. Yes", "ple.com."],
    ["Steps:\n1", ". Wait. Yes", ". Wait."],
    ["There are 1", "2. Yes", "2."],
  ])("falls exactly behind it: %j %j", (before, after, shown) => {
    expect(endOf(before, after)).toEqual({ shown, isEnded: true });
  });

  it.each(["It is late.", "It is late. ", '"Go!" ', "很晚了。", "- one\n", "It is (late.)", "So do I."])(
    "comes at once where the sentence is complete: %j",
    (before) => {
      expect(endOf(before, "And more.")).toEqual({ shown: "", isEnded: true });
    },
  );

  it("comes at once where nothing was said yet", () => {
    expect(orderIn([], [text("Hello.")])).toMatchObject({ shown: [], stops: ["user"] });
  });

  it("leaves an answer alone that nobody asked to end", () => {
    const { early, stops } = orderIn([text("One."), text(" Two.")], []);
    expect(early).toEqual([text("One."), text(" Two.")]);
    expect(stops).toEqual(["user"]);
  });

  const PROSE = fc
    .array(fc.constantFrom(..."ab1I .,!?…\n\"')*。」」！é", "😀", "e.g.", "3.14", "Dr", "\n\n1", "the end"), {
      maxLength: 60,
    })
    .map((parts) => parts.join(""));

  it("does not depend on how the text is cut", () => {
    fc.assert(
      fc.property(fc.string(), PROSE, PROSE, fc.array(fc.nat(80)), (first, second, after, cuts) => {
        const before = first + second;
        const [cutBefore, cutAfter] = [before, after].map((whole) => {
          const places = [...new Set([0, ...cuts, whole.length])].filter((place) => place <= whole.length);
          return places.sort((a, b) => a - b).map((place, index, all) => whole.slice(place, all[index + 1]));
        });
        const whole = orderIn([text(before)], [text(after)]);
        const pieces = orderIn(
          cutBefore!.map((each) => text(each)),
          cutAfter!.map((each) => text(each)),
        );
        expect(wordsOf(pieces.shown)).toBe(wordsOf(whole.shown));
        expect(pieces.stops).toEqual(whole.stops);
        expect(after.startsWith(wordsOf(whole.shown))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("shows nothing of what comes behind it, and says that it was ended there whatever else ends it", () => {
    const { shown, sentenceEnd } = orderIn([text("It is")], [text(" so. More."), text(" And more.")]);
    expect(shown).toEqual([text(" so.")]);
    const natural = createTerminationSignal({
      reason: "natural_completion",
      originalField: "finish_reason",
      originalValue: "stop",
    });
    expect(sentenceEnd.settle(natural)).toMatchObject({ reason: "cancelled", detail: "user" });
  });

  it("leaves the end of a model alone that comes first", () => {
    const { sentenceEnd, clock } = orderIn([text("It is")], [text(" so")]);
    const natural = createTerminationSignal({
      reason: "natural_completion",
      originalField: "finish_reason",
      originalValue: "stop",
    });
    expect(sentenceEnd.settle(natural)).toBe(natural);
    expect(clock.waits).toEqual([]);
  });

  it("ends the thinking where it ends, and shows none of the answer", () => {
    const { shown, stops } = orderIn([reasoning("Hm, ")], [reasoning("so be it"), text("The answer.")]);
    expect(shown).toEqual([reasoning("so be it")]);
    expect(stops).toEqual(["user"]);
  });

  it("does not cut a call in two, and begins none", () => {
    const start = { type: "tool-call-start", callId: "a", name: "say" } as const;
    const rest = [
      { type: "tool-call-delta", callId: "a", json: '{"text":"Hi. ' },
      { type: "tool-call-delta", callId: "a", json: 'You."}' },
      { type: "tool-call-end", callId: "a" },
    ] as const;
    expect(orderIn([start], [...rest, text("More")])).toMatchObject({ shown: rest, stops: ["user"] });
    expect(orderIn([text("I look")], [start, ...rest])).toMatchObject({ shown: [], stops: ["user"] });
  });

  it("does not wait for a sentence without an end", () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => `${index}, `).join("");
    const { shown, isEnded } = endOf("Counting ", numbers);
    expect(isEnded).toBe(true);
    expect(shown.length).toBeGreaterThanOrEqual(MOST_CHARACTERS);
    expect(shown.length).toBeLessThanOrEqual(MOST_CHARACTERS + LONGEST_WORD);
    expect(shown).toMatch(/\d,$/u);
    expect(numbers.charAt(shown.length)).toBe(" ");
    expect(endOf("So ", "😀".repeat(2000)).shown).toBe("😀".repeat((MOST_CHARACTERS + LONGEST_WORD) / 2));
  });

  it("stops a silent answer as a plain stop does, with what is still held back", () => {
    const { clock, stops, sentenceEnd } = orderIn([text("It is")], [text(" so")]);
    expect(clock.waits).toEqual([SENTENCE_MILLISECONDS]);
    clock.goOff();
    expect(stops).toEqual(["user"]);
    expect(sentenceEnd.pass(text(". Held"))).toEqual(text(". Held"));
  });
});
