/** Kinds of error, as a caller has to tell them apart. A signal of an error has its kind as its detail. */
export type ErrorKind =
  | "quota"
  | "rate_limited"
  | "overloaded"
  | "authentication"
  | "permission"
  | "context_window"
  | "timeout"
  | "not_found"
  | "cancelled"
  | "invalid_request"
  | "server_error";

interface KindMarks {
  readonly kind: ErrorKind;
  /** What the words have in common that providers use for it, in small letters. */
  readonly words: RegExp;
  /** The status to give such an error, and the others by which it is known. */
  readonly statuses: readonly [given: number, ...others: number[]];
}

/** What tells the kinds, in an order in which the first that holds is right. */
const KINDS: readonly KindMarks[] = [
  { kind: "quota", words: /quota|billing|insufficient_(?:funds|credit)|payment/u, statuses: [402] },
  { kind: "rate_limited", words: /rate_?limit|resource_?exhausted|throttling|too_many_requests/u, statuses: [429] },
  {
    kind: "overloaded",
    words: /overload|unavailable|insufficient_system_resource|modelnotready/u,
    statuses: [503, 529],
  },
  { kind: "permission", words: /permission|access_?denied|forbidden/u, statuses: [403] },
  { kind: "authentication", words: /auth|api_?key/u, statuses: [401] },
  {
    kind: "context_window",
    words: /context_(?:length|window)|token_limit_exceeded|max_tokens_exceeded|prompt_too_long/u,
    statuses: [400],
  },
  { kind: "timeout", words: /timeout|deadline/u, statuses: [504, 408] },
  { kind: "not_found", words: /not_?found|unknown_model/u, statuses: [404] },
  { kind: "cancelled", words: /cancell?ed|client_closed/u, statuses: [499] },
  {
    kind: "invalid_request",
    words: /invalid|validation|bad_request|failed_precondition|unprocessable/u,
    statuses: [400, 405, 413, 415, 422],
  },
  { kind: "server_error", words: /server|internal|api_error/u, statuses: [502, 500] },
];

/** The kind of an error that goes by any of these words; undefined if nobody knows them. */
export function errorKindOfWords(words: readonly string[]): ErrorKind | undefined {
  const small = words.map((word) => word.toLowerCase());
  return KINDS.find((marks) => small.some((word) => marks.words.test(word)))?.kind;
}

/** The kind of an error with this HTTP status, which is one of an error. */
export function errorKindOfStatus(status: number): ErrorKind {
  // A status that two kinds share is that of the plainer one: a full context window has to be told by a word.
  const known = KINDS.findLast(({ statuses }) => statuses.includes(status))?.kind;
  return known ?? (status >= 500 ? "server_error" : "invalid_request");
}

/** The HTTP status for an error of this kind that came without one. */
export function statusOfErrorKind(kind: ErrorKind): number {
  return KINDS.find((marks) => marks.kind === kind)?.statuses[0] ?? 502;
}
