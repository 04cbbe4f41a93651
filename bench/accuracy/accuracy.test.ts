import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judge } from "./judge.mjs";
import { readRecordedCases } from "./recorded.mjs";
import { serveCases } from "./server.mjs";
import { openFullstop } from "./subjects/fullstop.mjs";
import { SYNTHETIC_CASES } from "./synthetic/index.mjs";
import { meaningOf } from "./vocabulary.mjs";

const recorded = readRecordedCases();
const cases = [...SYNTHETIC_CASES, ...recorded];
const numbered = cases.map((asked, index) => ({ ...asked, index }));

describe("fullstop, asked over a socket, names the ending of", () => {
  let server: Awaited<ReturnType<typeof serveCases>>;
  beforeAll(async () => {
    server = await serveCases(cases);
  });
  afterAll(() => server.close());

  it.each(numbered)("$name", async ({ dialect, isStream, tools, expected, index }) => {
    const fullstop = await openFullstop();
    const answer = await fullstop.ask({ dialect, isStream, tools, url: `${server.url}/case/${index}` });
    expect(answer).toMatchObject({ word: expected });
  });
});

/** The endings that there are among the synthetic cases, as streams or whole. */
const reasons = (isStream: boolean): readonly string[] =>
  [...new Set(SYNTHETIC_CASES.filter((each) => each.isStream === isStream).map(({ expected }) => expected))].sort();

describe("the cases", () => {
  it("have names of their own", () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  it("hold every reason that a provider can give, streaming and whole", () => {
    const all = [
      "cancelled",
      "content_filtered",
      "context_window_exceeded",
      "error_termination",
      "natural_completion",
      "paused",
      "repetition_detected",
      "stop_sequence",
      "token_limit_reached",
      "tool_calls",
      "unknown",
    ];
    expect(reasons(true)).toEqual(all);
    expect(reasons(false)).toEqual(all);
  });
});

describe("judging what somebody says", () => {
  const [base] = SYNTHETIC_CASES;
  const outcome = { word: undefined, error: undefined, calls: 0, isRefused: false };
  const ask = (expected: string, more: object = {}) => ({ ...base!, expected, ...more }) as NonNullable<typeof base>;

  it.each([
    { name: "the very reason", expected: "token_limit_reached", word: "length", grade: "right" },
    { name: "the nearest word", expected: "stop_sequence", word: "stop", grade: "right" },
    { name: "another ending", expected: "error_termination", word: "stop", grade: "wrong" },
    { name: "a word that claims nothing", expected: "content_filtered", word: "other", grade: "vague" },
    { name: "nothing", expected: "error_termination", word: undefined, grade: "vague" },
    { name: "calls beside a natural end", expected: "tool_calls", word: "stop", calls: 1, grade: "right" },
    {
      name: "a refusal beside a natural end",
      expected: "content_filtered",
      word: "stop",
      isRefused: true,
      grade: "right",
    },
    { name: "an error that is thrown", expected: "error_termination", error: "no", grade: "right" },
    {
      name: "what the provider said of a loop",
      expected: "repetition_detected",
      said: "token_limit_reached",
      word: "length",
      grade: "right",
    },
  ])("calls $name $grade", ({ expected, grade, said, ...given }) => {
    expect(judge("ai-sdk", ask(expected, { said }), { ...outcome, ...given }).grade).toBe(grade);
  });

  it("calls an answer that is not whole and passes for one a false success", () => {
    expect(judge("ai-sdk", ask("error_termination"), { ...outcome, word: "stop" }).isFalseSuccess).toBe(true);
    expect(judge("ai-sdk", ask("natural_completion"), { ...outcome, word: "length" }).isFalseSuccess).toBe(false);
  });

  it("holds fullstop to the very reason", () => {
    expect(judge("fullstop", ask("stop_sequence"), { ...outcome, word: "natural_completion" }).grade).toBe("wrong");
  });

  it("takes a word that was joined of several of the same for that word", () => {
    expect(meaningOf("langchain", "STOPSTOPSTOP")).toBe("natural_completion");
    expect(meaningOf("langchain", "STOPFAKE")).toBe("unknown");
  });
});
