import type { AgentEvent } from "fullstop/agent";
import { text } from "fullstop/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerProgress } from "../src/answers/answer-progress.ts";
import { recordedTexts } from "../src/answers/seen-text.ts";
import { ENGLISH } from "../src/words/english.ts";

const word = fc.stringMatching(/^[ab \n]{0,4}$/u);
const turn = { turn: 1, runId: "run" } as const;

const happening: fc.Arbitrary<AgentEvent> = fc.oneof(
  { weight: 4, arbitrary: word.map((said) => ({ ...turn, type: "generation", event: text(said) }) as const) },
  {
    weight: 2,
    arbitrary: word.map((said) => ({ ...turn, type: "generation", event: { type: "reasoning", text: said } }) as const),
  },
  fc.constant({ ...turn, type: "turn-start", model: "m", isNewAnswer: true } as const),
  fc.nat({ max: 6 }).map((keep) => ({ ...turn, type: "rewind", keep }) as const),
);

test("what is recorded of an answer is what was seen of it, whatever was taken back and begun anew", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 20 }), (events) => {
      const progress = new AnswerProgress(ENGLISH);
      for (const event of events) progress.push(event);

      const { text: seen, thinking } = progress.view({ isRunning: false });
      expect(recordedTexts(progress.events, progress.seams)).toEqual({ text: seen, thinking });
    }),
    { numRuns: 2_000 },
  );
});
