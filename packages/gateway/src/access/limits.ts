/** What somebody may use. A limit that is left out does not hold. */
export interface Limits {
  /** Generations that are started within any minute. */
  readonly requestsPerMinute?: number | undefined;
  /** Generations at once. */
  readonly concurrent?: number | undefined;
  /** Tokens of input and output together, by the day of UTC. */
  readonly tokensPerDay?: number | undefined;
  /** Money by the day of UTC, in the unit of the models' prices. */
  readonly costPerDay?: number | undefined;
}

/** What a generation has used up. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}
