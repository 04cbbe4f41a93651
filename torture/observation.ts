import type { Told } from "../packages/gateway/test/support/clients/question.ts";
import type { Received } from "./clients/http.ts";
import type { HouseFault } from "./plan/kinds.ts";
import type { Plan, ReplicaName } from "./plan/plan.ts";
import type { Exchange } from "./provider/provider.ts";

/** How a generation ended, in the words of the gateway. */
export interface Signal {
  readonly reason: string;
  readonly confidence?: string;
  readonly detail?: string;
  readonly stopSequence?: string;
  readonly skippedThinking?: boolean;
  readonly providerSpecific?: { readonly originalField: string; readonly originalValue: string };
}

/** An event as the gateway keeps it. */
export interface KeptEvent {
  readonly type: string;
  readonly text?: string;
  readonly callId?: string;
  readonly name?: string;
  readonly json?: string;
  readonly skipped?: boolean;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly estimated?: boolean };
  readonly signal?: Signal;
}

/** What came of an order; the fields are undefined where nobody has answered. */
export interface Order {
  readonly mode: "stop" | "finish-sentence" | "skip-thinking";
  readonly who: "alice" | "bob";
  /** The gateway to which it was given. */
  readonly at: ReplicaName;
  /** Whether the generation had ended, as far as its client knew. */
  readonly isLate: boolean;
  /** How long it took until it was answered. */
  readonly milliseconds: number;
  readonly status?: number;
  readonly result?: string;
  readonly text?: string;
  readonly reasoning?: string;
  readonly signal?: Signal;
}

/** What a client of the dialect has got: an answer, or an error. */
export type SdkOutcome = { readonly told: Told } | { readonly error: string };

/** Everything that was seen of one generation, from all sides. */
export interface Observation {
  readonly plan: Plan;
  /** The gateway that was asked. */
  readonly asked: ReplicaName;
  readonly startedAt: number;
  readonly client:
    | { readonly kind: "http"; readonly received: Received }
    | { readonly kind: "sdk"; readonly outcome: SdkOutcome };
  /** When the client was done with it. */
  readonly overAt: number;
  readonly orders: readonly Order[];
  /** What the gateway was found to keep, read in as many parts as there are. */
  readonly resumed: readonly KeptEvent[] | undefined;
  readonly exchanges: readonly Exchange[];
  readonly id: string | undefined;
  /** What is kept of it; undefined if nothing is. */
  readonly kept: readonly KeptEvent[] | undefined;
  /** What happened to the gateway that was asked in the meantime. */
  readonly houseFault: HouseFault | undefined;
  /** Whether the gateway that was given orders was away in the meantime. */
  readonly wasOtherDown: boolean;
  /** Whether the store was slow in the meantime. */
  readonly wasStoreSlow: boolean;
}
