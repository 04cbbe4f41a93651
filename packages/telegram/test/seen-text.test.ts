import type { AgentEvent } from "fullstop/agent";
import { text } from "fullstop/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerProgress } from "../src/answers/answer-progress.ts";
import { recordedAnswer } from "../src/answers/seen-text.ts";
import { ENGLISH } from "../src/words/english.ts";

const word = fc.stringMatching(/^[ab \n]{0,4}$/u);
const turn = { turn: 1, runId: "run" } as const;

const happening: fc.Arbitrary<AgentEvent> = fc.oneof(
  { weight: 4, arbitrary: word.map((said) => ({ ...turn, type: "generation", event: text(said) }) as const) },
  {
    weight: 2,
    arbitrary: word.map((said) => ({ ...turn, type: "generation", event: { type: "reasoning", text: said } }) as const),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ start: fc.nat({ max: 6 }), length: fc.integer({ min: 1, max: 4 }), host: fc.constantFrom(..."ab") })
      .map(({ start, length, host }) => {
        const url = `https://${host}.example/`;
        const event = { type: "citation", start, end: start + length, url, format: "openai-chat" } as const;
        return { ...turn, type: "generation", event } as const;
      }),
  },
  fc.constant({ ...turn, type: "turn-start", model: "m", isNewAnswer: true } as const),
  fc.nat({ max: 6 }).map((keep) => ({ ...turn, type: "rewind", keep }) as const),
);

test("what is recorded of an answer is what was seen of it, whatever was taken back and begun anew", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 20 }), (events) => {
      const progress = new AnswerProgress(ENGLISH);
      for (const event of events) progress.push(event);

      const seen = progress.view({ isRunning: false });
      const recorded = recordedAnswer(progress.events, progress.seams);
      expect([recorded.text, recorded.thinking, recorded.sources]).toEqual([
        seen.text,
        seen.thinking,
        seen.sources?.sources,
      ]);
    }),
    { numRuns: 2_000 },
  );
});

test("what was quoted in an answer that is taken back is no source of the one in its place", () => {
  const progress = new AnswerProgress(ENGLISH);
  const page = { type: "citation", start: 0, end: 2, url: "https://a.example/", format: "openai-chat" } as const;
  const before = { ...page, url: "https://b.example/" };
  const begin: AgentEvent = { ...turn, type: "turn-start", model: "m", isNewAnswer: true };
  const said = [text("ab"), before].map((event): AgentEvent => ({ ...turn, type: "generation", event }));
  const wrong = [text("ab"), page].map((event): AgentEvent => ({ ...turn, type: "generation", event }));
  const right: AgentEvent = { ...turn, type: "generation", event: text("cd") };
  for (const event of [begin, ...said, begin, ...wrong, { ...turn, type: "rewind", keep: 0 } as const, right])
    progress.push(event);

  const { text: seen, sources } = progress.view({ isRunning: false });
  expect([seen, sources?.sources.map(({ link }) => link)]).toEqual(["ab\n\ncd", ["https://b.example/"]]);
});
