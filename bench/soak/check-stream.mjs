// @ts-check
import { FAILURES, textOf, thinkingOf } from "./plan.mjs";
import { readAnswer } from "./read-answer.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {import("./read-answer.mjs").Answer} Answer */
/**
 * What the gateway says of a generation, or in the receipt of a stop.
 *
 * @typedef {object} Told
 * @property {string} [state]
 * @property {string} [text]
 * @property {string} [reasoning]
 * @property {string} [result]
 * @property {string} [replica]
 * @property {{readonly reason: string, readonly detail?: string}} [signal]
 */

/** @typedef {{readonly reason: string, readonly problems: readonly string[]}} Finding */

/** What the endings of the answers of a plan have to be called where nobody has stopped them. */
const isExpected = (/** @type {Plan} */ { fault }, /** @type {string} */ reason) =>
  reason ===
  (FAILURES.has(fault) ? "error_termination" : fault === "repetition" ? "repetition_detected" : "natural_completion");

/**
 * Holds an answer that was read to its end against its plan, against what the gateway says of it, and against the
 * receipt of its stop if there was one.
 *
 * @param {Plan} plan
 * @param {import("node:http").IncomingMessage | undefined} head
 * @param {string} body
 * @param {string} toldText What the gateway says of the generation.
 * @param {string} [receiptText]
 * @returns {Finding}
 */
export function checkAnswer(plan, head, body, toldText, receiptText) {
  const told = /** @type {Told} */ (JSON.parse(toldText));
  const isStream = String(head?.headers["content-type"]).startsWith("text/event-stream");
  const got = isStream ? readAnswer(plan.door, body) : readRefusal(head?.statusCode ?? 0, body);
  const reason = String(told.signal?.reason);
  const receipt = receiptText === undefined ? undefined : /** @type {Told} */ (JSON.parse(receiptText));
  const wasStopped = receipt?.result === "stopped";
  const problems = [
    got.endings !== 1 && `it ended ${got.endings} times`,
    !got.isLast && "something came after its end",
    got.isError !== (reason === "error_termination") && `an error for one side only: ${reason}`,
    told.state !== "ended" && `the gateway says it is ${told.state}`,
    told.text !== got.text && "the gateway tells another text",
    told.reasoning !== got.thinking && "the gateway tells other thinking",
    ...checkContent(plan, got, reason),
    receipt !== undefined && receipt.replica?.startsWith("soak-") !== true && `the receipt is from ${receipt.replica}`,
    receipt !== undefined &&
      !["stopped", "already_finished"].includes(String(receipt.result)) &&
      `stop: ${receipt.result}`,
    receipt !== undefined && receipt.text !== got.text && "the receipt has another text",
    wasStopped !== (reason === "cancelled") && `stop: ${receipt?.result}, end: ${reason}`,
    reason === "cancelled" && told.signal?.detail !== "soak" && `cancelled by ${told.signal?.detail}`,
  ];
  return { reason, problems: problems.filter((problem) => problem !== false) };
}

/**
 * Holds what a client had before it left against the events that the gateway has of it.
 *
 * @param {Plan} plan
 * @param {Answer} got
 * @param {string} events
 * @param {boolean} goesOn
 * @returns {Finding}
 */
export function checkRest(plan, got, events, goesOn) {
  const all = [...events.matchAll(/^data: (?<json>.*)$/gmu)].map(
    ({ groups }) => /** @type {import("fullstop").GenerationEvent} */ (JSON.parse(groups?.["json"] ?? "")),
  );
  const join = (/** @type {"text" | "reasoning"} */ type) =>
    all.map((event) => (event.type === type ? event.text : "")).join("");
  const rest = { text: join("text"), thinking: join("reasoning") };
  const finishes = all.flatMap((event) => (event.type === "finish" ? [event.signal] : []));
  const reason = String(finishes[0]?.reason);
  const problems = [
    got.endings > 1 && `it ended ${got.endings} times`,
    finishes.length !== 1 && `its events have ${finishes.length} ends`,
    all.at(-1)?.type !== "finish" && "something came after its end",
    !rest.text.startsWith(got.text) && "the gateway tells another text",
    !rest.thinking.startsWith(got.thinking) && "the gateway tells other thinking",
    goesOn && reason === "cancelled" && "it was stopped although it was to go on",
    ...checkContent(plan, rest, reason),
  ];
  return { reason, problems: problems.filter((problem) => problem !== false) };
}

/**
 * What was said has to be the beginning of what the provider had to say, and all of it where it ended well.
 *
 * @param {Plan} plan
 * @param {{readonly text: string, readonly thinking: string}} said
 * @param {string} reason
 * @returns {(string | false)[]}
 */
function checkContent(plan, { text, thinking }, reason) {
  const isWhole = text === textOf(plan) && thinking === thinkingOf(plan);
  return [
    !textOf(plan).startsWith(text) && "its text is not that of the provider",
    !thinkingOf(plan).startsWith(thinking) && "its thinking is not that of the provider",
    text !== "" && thinking !== thinkingOf(plan) && "it has lost some thinking",
    reason === "natural_completion" && !isWhole && "it ended well and is not whole",
    reason !== "cancelled" && !isExpected(plan, reason) && `${plan.fault} led to ${reason}`,
  ];
}

/**
 * @param {number} status
 * @param {string} body
 * @returns {Answer}
 */
function readRefusal(status, body) {
  const { error } = /** @type {{error?: unknown}} */ (JSON.parse(body));
  const isError = status >= 400 && error !== undefined;
  return { text: "", thinking: "", endings: isError ? 1 : 0, isError, isLast: true };
}
