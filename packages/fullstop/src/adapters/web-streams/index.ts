export { createEventStream } from "./event-stream.ts";
export { createGuardStream } from "./guard-stream.ts";
export type { GuardStream } from "./guard-stream.ts";
