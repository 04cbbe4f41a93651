import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import { parseJson } from "../../src/wire/json.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import type { Told } from "../support/answers.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { differences, readRecorded } from "../support/recorded.ts";
import type { RecordedAnswer } from "../support/recorded.ts";
import { same } from "../support/same.ts";

const recorded = readRecorded();

function decode({ format, status }: RecordedAnswer, chunks: Iterable<Uint8Array>): Told {
  return tell(decodeChunks(ANSWER_FORMATS[format], chunks, { status }));
}

/** Gemini on Vertex has put its finish value on every chunk, so that no reader can tell a cut between two of them. */
function saysItIsDoneTooEarly({ format, bytes }: RecordedAnswer): boolean {
  return format === "gemini" && new TextDecoder().decode(bytes).split('"finishReason": "STOP"').length > 2;
}

/** Whether a cut leaves only whole events, the last of them perhaps without its blank line. */
function isBetweenEvents(bytes: Uint8Array, end: number): boolean {
  const last = new TextDecoder()
    .decode(bytes.subarray(0, end))
    .split(/\r?\n\r?\n/)
    .at(-1)!
    .trim();
  return last === "" || parseJson(last.replace(/^data:/, "")) !== undefined;
}

it("has recordings beside it, or does without", () => {
  // They are not part of the repository. Where they are absent the hand-made bodies beside this file remain.
  expect(recorded.every(({ format }) => format in ANSWER_FORMATS)).toBe(true);
});

const describeRecorded = recorded.length > 0 ? describe : () => undefined;

describeRecorded("a recorded answer", () => {
  it.each(recorded)("$name is read as expected, whole and byte by byte", (record) => {
    const { bytes } = record;
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(differences(record, decode(record, [bytes]))).toEqual([]);
    expect(differences(record, decode(record, single))).toEqual([]);
  });

  it.each(recorded)("$name is read the same in random pieces", (record) => {
    const whole = decode(record, [record.bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(record.bytes.length), { maxLength: 40 }), (positions) => {
        same(decode(record, cutBytesAt(record.bytes, positions)), whole);
      }),
      { numRuns: 20 },
    );
  });

  it("is read as expected after it was parsed", () => {
    const wholes = recorded.filter(({ streaming }) => !streaming);
    const wrong = wholes.flatMap((record) => {
      const body = parseJson(new TextDecoder().decode(record.bytes));
      const { format, status } = record;
      return body === undefined
        ? []
        : differences(record, tell(ANSWER_FORMATS[format].decodeResponse(body, { status })));
    });
    expect(wrong).toEqual([]);
  });

  const streams = recorded.filter(({ streaming }) => streaming);

  it.each(streams)("$name is never a success when something of it was cut off", (record) => {
    const { bytes } = record;
    const whole = decode(record, [bytes]);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (end) => {
        // A cut between two chunks that both say they are the last cannot be told from the end.
        if (saysItIsDoneTooEarly(record) && isBetweenEvents(bytes, end)) return;
        const cut = decode(record, [bytes.subarray(0, end)]);
        if (cut.signal.reason !== "natural_completion" && cut.signal.reason !== "tool_calls") return;
        same([cut.text, cut.toolCalls], [whole.text, whole.toolCalls]);
      }),
      { numRuns: 200 },
    );
  });
});
