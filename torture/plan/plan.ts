import { createRandom } from "../../bench/random.mjs";
import { planContent } from "./content.ts";
import type { Piece } from "./content.ts";
import { DIALECTS, conductOf, faultOf, houseFaultOf, mix } from "./kinds.ts";
import type { Conduct, Dialect, Fault, HouseFault } from "./kinds.ts";
import { planRules } from "./rules.ts";
import type { Rules } from "./rules.ts";

/** The two gateways that share a store. */
export type ReplicaName = "a" | "b";

/** What a provider says at the end of an answer that does not fail. */
export type ProviderEnding = "natural" | "length" | "filter" | "strange";

/** What happens to one generation: a pure function of the seed and its number. */
export interface Plan {
  readonly seed: number;
  readonly number: number;
  /** What the client speaks. */
  readonly door: Dialect;
  /** What the provider speaks. */
  readonly provider: Dialect;
  readonly isStream: boolean;
  /** The dialect's official client, or one that reads the bytes themselves. */
  readonly client: "sdk" | "http";
  /** The gateway that is asked. */
  readonly replica: ReplicaName;
  /** The gateway that is given orders, and asked for what is kept. */
  readonly other: ReplicaName;
  readonly pieces: readonly Piece[];
  /** Milliseconds before each piece. */
  readonly pauses: readonly number[];
  readonly ending: ProviderEnding;
  readonly usage: { readonly input: number; readonly output: number };
  readonly rules: Rules;
  readonly fault: Fault;
  /** How many pieces come before the fault. */
  readonly faultAt: number;
  readonly conduct: Conduct;
  /** Milliseconds until the client does what it does. */
  readonly after: number;
  readonly houseFault: { readonly kind: HouseFault; readonly replica: ReplicaName } | undefined;
  /** Generations with the same content and rules, but other cuts, dialects and clients. */
  readonly twins: number;
}

/** The reason that is given with an order, so that it can be told from those of others. */
export const orderReasonOf = ({ number }: Plan): string => `torture-${number}`;

/** What the model of a generation is called, by the gateway. */
export const modelOf = ({ provider, seed, number }: Plan): string => `${provider}/plan-${seed}-${number}`;

/** Plans one generation. */
export function planGeneration(seed: number, number: number): Plan {
  const random = createRandom(mix(seed, number, 0x0badcafe));
  const below = (most: number): number => Math.floor(random() * most);
  const conduct = conductOf(seed, number);
  // Whoever wants to stop something needs something that runs.
  const isOrdered = conduct === "stop" || conduct === "finish-sentence" || conduct === "skip-thinking";
  const fault = isOrdered && below(10) < 6 ? faultUnderOrder(conduct, below) : faultOf(seed, number);
  // Two that follow each other, and have the same to say, have it cut in another way.
  const twins = Math.floor(number / 2);
  const provider = pick(DIALECTS, below);
  const content = planContent(createRandom(mix(seed, twins, 0x7e57)), {
    stem: `g${twins}`,
    loops: fault === "repetition",
    thinks: conduct === "skip-thinking",
    isLarge: conduct === "slow-reader",
  });
  const isCutable = conduct !== "read" || fault !== "none";
  const pieces = content.cut(random, provider === "gemini", fault === "repetition" || conduct === "slow-reader");
  const pauses = pieces.map(() => (below(3) === 0 ? 0 : below(isCutable ? 24 : 8)));
  const rules = planRules(createRandom(mix(seed, twins, 0x57095)), content, {
    loops: fault === "repetition",
    hasDeadline: conduct === "deadline",
    goesOn: conduct === "leave-running" || conduct === "resume",
    isWatched: fault === "stall",
    isRuled: conduct !== "slow-reader" && !(isOrdered && number % 3 > 0),
  });
  const isStream = conduct === "slow-reader" || conduct === "resume" || below(10) < 8;
  const isPlain = ["read", "stop", "finish-sentence", "skip-thinking", "late-stop", "stranger", "deadline"].includes(
    conduct,
  );
  const length = pauses.reduce((sum, pause) => sum + pause, 0);
  return {
    seed,
    number,
    door: pick(DIALECTS, below),
    provider,
    isStream,
    client: isPlain && below(10) < 3 ? "sdk" : "http",
    replica: below(2) === 0 ? "a" : "b",
    other: below(2) === 0 ? "a" : "b",
    pieces,
    pauses,
    ending: below(10) < 7 ? "natural" : pick(["length", "filter", "strange"] as const, below),
    usage: { input: 1 + below(500), output: 1 + below(5000) },
    rules,
    fault,
    faultAt: below(pieces.length + 1),
    conduct,
    after: conduct === "leave-early" ? below(60) : isOrdered ? below(length * 0.7) : below(length * 1.1),
    houseFault: planHouseFault(number, below),
    twins,
  };
}

/** In a provider that has fallen silent nothing but the stop can be what ends a generation in time. */
function faultUnderOrder(conduct: Conduct, below: (most: number) => number): Fault {
  return conduct === "stop" && below(2) === 0 ? "stall" : "none";
}

function planHouseFault(number: number, below: (most: number) => number): Plan["houseFault"] {
  const kind = houseFaultOf(number);
  return kind && { kind, replica: below(2) === 0 ? "a" : "b" };
}

function pick<T>(list: readonly T[], below: (most: number) => number): T {
  const picked = list[below(list.length)];
  if (picked === undefined) throw new Error("there is nothing to pick from");
  return picked;
}
