import type { Channel } from "../events.ts";
import { cancelledSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { isHighSurrogate } from "../text/surrogates.ts";
import { Lane } from "./lane.ts";
import type { Cut, Findings } from "./lane.ts";
import { characterLimitSignal, reasoningTokenLimitSignal, tokenLimitSignal } from "./limits.ts";
import { RuleRunner } from "./rule-runner.ts";
import type { Step } from "./step.ts";
import type { StopRules } from "./stop-rules.ts";

// The order of authority among conditions that hold at the same point; a lower rank wins. A cancel comes before all.
const STOP_STRING_RANK = 0;
const TOKEN_RANK = 1;
const REPETITION_RANK = 2;
const BUDGET_RANK = 3;
const CHARACTERS_RANK = 4;
const LIMIT_RANK = 5;

/** A condition that holds after a step; with a cut where it fell on the text, else at the step's end. */
interface Hit {
  readonly rank: number;
  readonly signal: TerminationSignal;
  readonly cut?: Cut | undefined;
}

const NO_TOKENS: readonly number[] = [];

/** A set of stop rules at work on one generation. */
export class StopMachine {
  readonly #rules: StopRules;
  readonly #minTokens: number;
  /** Absent when no rule is to be looked at after each step. */
  readonly #stepRules: RuleRunner | undefined;
  readonly #characterLimit: number;
  /** By channel; those of tool arguments by call, because each call is a text of its own. */
  readonly #lanes = new Map<string, Lane>();
  readonly #step: { -readonly [Key in keyof Step]: Step[Key] } = {
    channel: "text",
    text: "",
    tokenIds: NO_TOKENS,
    tokens: 0,
    reasoningTokens: 0,
    characters: 0,
  };
  #lane: Lane;
  #callId: string | undefined = undefined;
  #ending: TerminationSignal | undefined = undefined;

  constructor(rules: StopRules) {
    this.#rules = rules;
    this.#minTokens = rules.minTokens;
    const stepRules = [
      { rank: TOKEN_RANK, rules: rules.tokenRules },
      { rank: BUDGET_RANK, rules: rules.budgetRules },
      { rank: LIMIT_RANK, rules: rules.limitRules },
    ].filter((group) => group.rules.length > 0);
    this.#stepRules = stepRules.length === 0 ? undefined : new RuleRunner(stepRules, rules.onRuleError);
    this.#characterLimit = rules.maxCharacters ?? Infinity;
    this.#lane = this.#laneOf("text", undefined);
    // A limit of nothing is reached before anything has come.
    if (rules.maxCharacters === 0) this.#finish(characterLimitSignal(0), []);
    else if (rules.maxTokens === 0) this.#finish(tokenLimitSignal(0), []);
  }

  /** How the generation ended, once it has. */
  get signal(): TerminationSignal | undefined {
    return this.#ending;
  }

  /** The text held back at present: the beginning of a stop string, perhaps, or of a loop that is to be trimmed. */
  get held(): string {
    return this.#lane.held;
  }

  /**
   * Takes a piece of output and returns the text that may be shown now. After the end that is always nothing. Without
   * a list of token ids a piece counts as one token; an empty list says that it brings none.
   */
  feed(channel: Channel, piece: string, ids: readonly number[] | undefined, callId?: string): string {
    if (this.#ending !== undefined) return "";
    const step = this.#step;
    if (step.channel !== channel || this.#callId !== callId) this.#change(channel, callId);
    if (this.#ending !== undefined) return "";
    const tokenIds = ids ?? NO_TOKENS;
    const tokens = ids === undefined ? Math.min(piece.length, 1) : ids.length;
    step.tokens += tokens;
    if (channel === "reasoning") step.reasoningTokens += tokens;
    const armed = this.#minTokens === 0 || step.tokens > this.#minTokens;
    const read = this.#lane.feed(piece, tokenIds, armed);
    if (channel === "text") step.characters = this.#lane.length;
    const hits = this.#stepRules === undefined ? undefined : this.#runRules(this.#stepRules, piece, tokenIds);
    if (typeof read === "string" && hits === undefined && step.characters < this.#characterLimit) return read;
    return this.#conclude(read, hits ?? []);
  }

  /** Releases the held text because the channel, or the output as a whole, ends here. */
  leave(): string {
    return this.#lane.leave();
  }

  /** Stops the generation from outside and returns the held text. */
  cancel(detail: string | undefined): string {
    if (this.#ending !== undefined) return "";
    this.#finish(cancelledSignal(detail), []);
    return this.#lane.leave();
  }

  /** Frees what was kept for a tool call that is complete. A source may use its id for another one. */
  forgetCall(callId: string): void {
    this.#lanes.delete(laneKey("tool-arguments", callId));
    if (this.#callId === callId) this.#callId = undefined;
  }

  #change(channel: Channel, callId: string | undefined): void {
    this.#step.channel = channel;
    this.#callId = callId;
    this.#lane = this.#laneOf(channel, callId);
    if (channel === "reasoning" && this.#rules.maxReasoningTokens === 0) {
      this.#finish(reasoningTokenLimitSignal(0), []);
    }
  }

  #laneOf(channel: Channel, callId: string | undefined): Lane {
    const key = laneKey(channel, callId);
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(channel, this.#rules);
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #runRules(stepRules: RuleRunner, piece: string, tokenIds: readonly number[]): readonly Hit[] | undefined {
    this.#step.text = piece;
    this.#step.tokenIds = tokenIds;
    return stepRules.run(this.#step);
  }

  /** Decides among everything that holds after a piece, and returns what is still shown of it. */
  #conclude(read: string | Findings, ruleHits: readonly Hit[]): string {
    const lane = this.#lane;
    const { length } = lane;
    const released = typeof read === "string" ? read : "";
    const found = typeof read === "string" ? undefined : read;
    const unshown = released + lane.held;
    const cap = this.#step.characters >= this.#characterLimit ? this.#characterCut(unshown) : undefined;
    const inText = [
      toHit(STOP_STRING_RANK, found?.match),
      toHit(REPETITION_RANK, found?.loop),
      toHit(CHARACTERS_RANK, cap),
    ].filter((hit) => hit !== undefined);
    const earliest = Math.min(length, ...inText.map((hit) => hit.cut.at));
    const there = inText.filter((hit) => hit.cut.at === earliest);
    const hits = [...there, ...ruleHits].toSorted((first, second) => first.rank - second.rank);

    // A decision inside the piece comes before whatever holds only at its end; there the rank decides.
    const winner: Hit = (earliest < length ? there[0] : hits[0])!;
    const others = hits.filter((hit) => hit !== winner);
    this.#finish(winner.signal, others);
    const rest = lane.leave();
    if (winner.cut === undefined) return released + rest;
    return unshown.slice(0, Math.max(0, unshown.length - (length - winner.cut.showUntil)));
  }

  /**
   * The point at which the text has as many characters as it may have; what is shown ends before a character that this
   * would halve. That one is generated all the same, so whatever was complete before it has come first.
   */
  #characterCut(unshown: string): Cut {
    const limit = this.#characterLimit;
    const lastIndex = unshown.length - (this.#lane.length - limit) - 1;
    const showUntil = isHighSurrogate(unshown.charCodeAt(lastIndex)) ? limit - 1 : limit;
    return { at: limit, showUntil, signal: characterLimitSignal(limit) };
  }

  #finish(signal: TerminationSignal, others: readonly Hit[]): void {
    const { providerSpecific } = signal;
    const also = others.map((other) => other.signal.providerSpecific.originalField);
    const metadata = { ...providerSpecific.metadata, tokens: this.#step.tokens, also };
    this.#ending = { ...signal, providerSpecific: { ...providerSpecific, metadata } };
  }
}

function laneKey(channel: Channel, callId: string | undefined): string {
  return callId === undefined ? channel : `${channel} ${callId}`;
}

function toHit(rank: number, cut: Cut | undefined): (Hit & { readonly cut: Cut }) | undefined {
  return cut && { rank, cut, signal: cut.signal };
}
