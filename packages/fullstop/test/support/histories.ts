import fc from "fast-check";
import { INTERRUPTED_RESULT } from "../../src/agent/repair-history.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../../src/request.ts";

type AnswerPart = AssistantMessage["content"][number];

export const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
export const system = (text: string): Message => ({ role: "system", content: [{ type: "text", text }] });
export const assistant = (...content: readonly AnswerPart[]): AssistantMessage => ({ role: "assistant", content });
export const said = (text: string): AnswerPart => ({ type: "text", text });
export const thought = (text: string, signature?: string): AnswerPart =>
  signature === undefined ? { type: "reasoning", text } : { type: "reasoning", text, signature };
export const call = (callId: string, json = '{"path":"a"}'): ToolCallPart => ({
  type: "tool-call",
  callId,
  // The name follows the id, because the encoders know one name for each.
  name: `tool_${callId}`,
  json,
});
export const result = (callId: string, text: string): ToolMessage => ({
  role: "tool",
  callId,
  content: [{ type: "text", text }],
});
/** What a call without a result is answered with. */
export const interrupted = (callId: string, text = INTERRUPTED_RESULT): ToolMessage => ({
  role: "tool",
  callId,
  name: `tool_${callId}`,
  content: [{ type: "text", text }],
  isError: true,
});

/** Arguments that were cut within a token, a string, an object; none of them is JSON. */
export const CUT_ARGUMENTS: readonly string[] = ["{", '{"path', '{"path":', '{"path":"a"', "[1,", "tru", '{"a":{}'];
const WHOLE_ARGUMENTS = ["", " ", "{}", '{"path":"a"}', '{"deep":{"list":[1,2]}}'];

const anyId = fc.constantFrom("a", "b", "c");
const anyText = fc.constantFrom("one", "two", "three", "");
const anyCall = fc.tuple(anyId, fc.constantFrom(...WHOLE_ARGUMENTS)).map(([id, json]) => call(id, json));
const anyCutCall = fc.tuple(anyId, fc.constantFrom(...CUT_ARGUMENTS)).map(([id, json]) => call(id, json));
const anyThought = fc.constantFrom(thought("hm"), thought("hm", "proof"));
const anyPart: fc.Arbitrary<AnswerPart> = fc.oneof(
  anyText.map((text) => said(text)),
  anyThought,
  { weight: 3, arbitrary: anyCall },
  anyCutCall,
  fc.constant<AnswerPart>({ type: "opaque", format: "anthropic-messages", value: { type: "server_tool_use" } }),
);
const anyResult = fc.tuple(anyId, fc.nat(99)).map(([id, number]) => result(id, `result ${number}`));

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  anyText.map((text) => user(text)),
  fc.constant<Message>({
    role: "user",
    content: [{ type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" } }],
  }),
  anyText.map((text) => system(text)),
  { weight: 4, arbitrary: fc.array(anyPart, { maxLength: 4 }).map((content) => assistant(...content)) },
  fc.array(anyPart, { maxLength: 3 }).map((content) => ({ ...assistant(...content), isPartial: true })),
  { weight: 4, arbitrary: anyResult },
  anyId.map((id) => interrupted(id)),
  // An error of the tool's own is as real as any other result.
  anyId.map((id): Message => ({ ...result(id, "no such file"), isError: true })),
);

/** Any messages in any order: ids that come again, results before their calls, doubled, made up, of no call at all. */
export const anyHistory: fc.Arbitrary<readonly Message[]> = fc.array(anyMessage, { maxLength: 12 });

/** A valid conversation and the same one after something went wrong in it. */
export interface Damaged {
  readonly damaged: readonly Message[];
  /** What a repair has to make of it. */
  readonly whole: readonly Message[];
}

type Damage = "none" | "late" | "doubled" | "lost" | "made up first" | "made up";

const anyTurn = fc.record({
  text: fc.option(fc.constantFrom("I look", "and now"), { nil: undefined }),
  calls: fc.uniqueArray(fc.tuple(anyId, fc.constantFrom(...WHOLE_ARGUMENTS)), {
    maxLength: 3,
    selector: ([id]) => id,
  }),
  damages: fc.array(fc.constantFrom<Damage>("none", "late", "doubled", "lost", "made up first", "made up"), {
    minLength: 3,
    maxLength: 3,
  }),
  cutCall: fc.option(fc.constantFrom(...CUT_ARGUMENTS), { nil: undefined }),
  isCutAnswered: fc.boolean(),
  isReversed: fc.boolean(),
});

/** Conversations that were damaged in every way at once, with ids that come again in every turn. */
export const anyDamaged: fc.Arbitrary<Damaged> = fc.array(anyTurn, { maxLength: 4 }).map((turns) => {
  const damaged: Message[] = [];
  const whole: Message[] = [];
  const unanswered = new Set<string>();
  for (const [number, turn] of turns.entries()) {
    const calls = turn.calls.map(([id, json]) => call(id, json));
    const content = [...(turn.text === undefined ? [] : [said(turn.text)]), ...calls];
    const answer = assistant(...content);
    const cut = call("cut", turn.cutCall);
    if (turn.cutCall === undefined) damaged.push(answer);
    else damaged.push(assistant(...content, thought("then", "proof"), cut));
    if (content.length > 0) whole.push(answer);
    const near: Message[] = [];
    const late: Message[] = [];
    for (const [index, { callId }] of calls.entries()) {
      const real = result(callId, `result ${number}.${index}`);
      const damage = turn.damages[index]!;
      const isMissing = damage === "lost" || damage === "made up";
      whole.push(isMissing ? interrupted(callId) : real);
      if (damage === "none" || damage === "doubled") near.push(real);
      // Where an earlier call of the same id still waits, a second result is not a double but that call's.
      if (damage === "doubled" && !unanswered.has(callId)) late.push(result(callId, "again"));
      if (damage === "made up" || damage === "made up first") near.push(interrupted(callId));
      if (damage === "late" || damage === "made up first") late.push(real);
    }
    for (const [index, { callId }] of calls.entries()) {
      if (["lost", "made up"].includes(turn.damages[index]!)) unanswered.add(callId);
    }
    if (turn.cutCall !== undefined && turn.isCutAnswered) near.push(result("cut", "the arguments are not JSON"));
    // Results that come at once may come in any order; those that come late come after what else happened.
    damaged.push(...(turn.isReversed ? near.toReversed() : near), user(`more ${number}`), system("be brief"), ...late);
    whole.push(user(`more ${number}`), system("be brief"));
  }
  return { damaged, whole };
});
