import type { Observation } from "../observation.ts";
import { gather, gatherKept } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { expectationOf } from "./expectation.ts";
import type { Expectation } from "./expectation.ts";
import { readStream } from "./read-stream.ts";
import { readWhole } from "./read-whole.ts";

/** One generation with everything that checks need. */
export interface Case {
  readonly observation: Observation;
  readonly expectation: Expectation;
  /** What is kept of it. */
  readonly kept: Answer | undefined;
  /** Whether its thinking was skipped. */
  readonly isSkipped: boolean;
  /** What its client has got, where that is known piece by piece. */
  readonly got: Answer | undefined;
  /** Whether all came that was to come: neither side has gone before. */
  readonly isOver: boolean;
  /** Whether nothing was started: the gateway was on its way out, or away. */
  readonly isRefused: boolean;
}

/** A promise that was not kept. */
export interface Problem {
  /** Which check has found it. */
  readonly check: string;
  /** The guarantees that it is about, by their number. */
  readonly guarantees: readonly number[];
  readonly problem: string;
}

/** A check, with what it is about. */
export interface Check {
  readonly name: string;
  readonly guarantees: readonly number[];
  /** What is wrong; nothing if all is well. */
  readonly run: (subject: Case) => readonly (string | false)[];
}

/** Puts an observation into the form that checks want. */
export function caseOf(observation: Observation): Case {
  const { client, kept, plan } = observation;
  const isSkipped = kept?.some(({ type, skipped }) => type === "reasoning" && skipped === true) === true;
  const shared = {
    observation,
    isSkipped,
    // A provider that was hung up on before it had read the first request answers the second one as if it were that.
    expectation: expectationOf(observation, isSkipped && observation.exchanges.length > 1 && !isOvertaken(observation)),
    kept: kept && gatherKept(kept),
  };
  if (client.kind === "sdk") {
    const isRefused = "error" in client.outcome && kept === undefined && observation.exchanges.length === 0;
    return { ...shared, got: undefined, isOver: "told" in client.outcome, isRefused };
  }
  const { status, contentType, chunks, over, id } = client.received;
  const isRefused = status === undefined ? over === "broken" && kept === undefined : status >= 400 && id === undefined;
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
  const isStream = contentType.startsWith("text/event-stream");
  const isReadable = isStream || over === "ended";
  const news =
    status === undefined || !isReadable
      ? []
      : isStream
        ? readStream(plan.door, body)
        : readWhole(plan.door, status, body);
  return { ...shared, got: gather(news), isOver: over === "ended", isRefused };
}

/** Whether the request without thinking has come before the one that was given up for it, on a connection of its own. */
function isOvertaken({ exchanges }: Observation): boolean {
  const last = exchanges.at(-1);
  return exchanges[0]?.end?.how === "answered" && last?.end?.how === "gone" && last.sent === 0;
}
