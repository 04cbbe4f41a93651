export { BrokenAnswerError } from "../broken-answer.ts";
export { createFetch } from "./create-fetch.ts";
export type { FinishedCall, GuardedFetch, GuardedFetchOptions } from "./create-fetch.ts";
export type { FetchInput, GuardedFormat } from "./recognise-request.ts";
export { ruleHeaders } from "./rule-headers.ts";
export type { PlainRules } from "./rule-headers.ts";
