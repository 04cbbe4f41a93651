import { createRandom } from "../../bench/random.mjs";

/** The dialects that both sides of the gateway speak. */
export const DIALECTS = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;

/** A dialect that both sides of the gateway speak. */
export type Dialect = (typeof DIALECTS)[number];

/** What can be wrong with a provider's answer, each as often as it stands here. */
const FAULTS = [
  ...Array.from({ length: 15 }, () => "none" as const),
  // The body ends as if it were whole, without a finish.
  "close",
  // The connection is closed in the middle of a frame.
  "cut",
  // The connection is reset.
  "reset",
  // Nothing more comes, and the connection stays.
  "stall",
  "stall",
  // Not even a head comes.
  "silent",
  // Bytes that are no stream at all, and the end.
  "garbage",
  // A frame whose JSON is broken.
  "bad-json",
  // A byte within the text that is not UTF-8. The answer goes on.
  "bad-utf8",
  // An error in the words of the dialect.
  "in-band",
  "status-429",
  "status-500",
  // A page of some proxy, as a success.
  "page",
  // A few bytes at a time, which respect neither frames nor characters.
  "drip",
  // The model repeats a line without end.
  "repetition",
  // Another finish after the first one, or with every piece.
  "finish-twice",
] as const;

/** What is wrong with a provider's answer. */
export type Fault = (typeof FAULTS)[number];

/** What can come from the side of the client, each as often as it stands here. */
const CONDUCTS = [
  ...Array.from({ length: 9 }, () => "read" as const),
  // Somebody stops it, at the replica that generates or at the other one, as the plan says.
  "stop",
  "stop",
  "finish-sentence",
  "finish-sentence",
  "skip-thinking",
  "skip-thinking",
  // A stop for a generation that has ended.
  "late-stop",
  // A stop by somebody whose generation it is not.
  "stranger",
  // Who asked goes away: for good, before anything has come, or to come back for the rest.
  "leave",
  "leave-early",
  "leave-running",
  "resume",
  // Who asked reads so slowly that the gateway has to wait.
  "slow-reader",
  // The request itself has a limit of time.
  "deadline",
] as const;

/** What comes from the side of the client. */
export type Conduct = (typeof CONDUCTS)[number];

/** What happens to a gateway: the end that a deployment brings, or a crash. */
export type HouseFault = "restart" | "kill";

/** The faults after which an answer cannot end well, unless a rule has ended it before. */
export const FAILURES: ReadonlySet<Fault> = new Set<Fault>([
  "close",
  "cut",
  "reset",
  "stall",
  "silent",
  "garbage",
  "bad-json",
  "in-band",
  "status-429",
  "status-500",
  "page",
]);

/** The failures that come in place of an answer. */
export const REFUSALS: ReadonlySet<Fault> = new Set<Fault>(["silent", "status-429", "status-500", "page"]);

/** How many generations there are from one fault of a gateway to the next. */
const HOUSE_FAULT_DISTANCE = 80;

/** Everything that a run has to have seen. */
export const KINDS: readonly string[] = [
  ...new Set([...FAULTS, ...CONDUCTS].filter((kind) => kind !== "none" && kind !== "read" && kind !== "stop")),
  "stop-here",
  "stop-elsewhere",
  "restart",
  "kill",
];

/** The fault of a generation. Each comes once in as many generations as there are, so that none is left to chance. */
export function faultOf(seed: number, number: number): Fault {
  return pickInTurn(FAULTS, seed, number, 0x51ed270b);
}

/** The conduct of a generation's client, in turn as well, and independent of the fault. */
export function conductOf(seed: number, number: number): Conduct {
  return pickInTurn(CONDUCTS, seed, number, 0x2545f491);
}

/** What happens to a gateway when a generation begins, if anything does. */
export function houseFaultOf(number: number): HouseFault | undefined {
  if (number % HOUSE_FAULT_DISTANCE !== HOUSE_FAULT_DISTANCE / 2) return undefined;
  return Math.floor(number / HOUSE_FAULT_DISTANCE) % 2 === 0 ? "kill" : "restart";
}

/** Goes through a list in another order in every round. */
function pickInTurn<T>(list: readonly T[], seed: number, number: number, salt: number): T {
  const random = createRandom(mix(seed, Math.floor(number / list.length), salt));
  const order = list.map((each) => ({ each, place: random() })).toSorted((a, b) => a.place - b.place);
  const picked = order[number % list.length];
  if (picked === undefined) throw new Error(`there is no turn for ${number}`);
  return picked.each;
}

/** One seed of several numbers. */
export function mix(...numbers: readonly number[]): number {
  return numbers.reduce(
    (mixed, each) => Math.imul(mixed ^ Math.imul(each + 1, 0x85ebca6b), 0x9e3779b1) ^ (mixed >>> 13),
    0x1234567,
  );
}
