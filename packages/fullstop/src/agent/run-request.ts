import { isAmongSome } from "../callable-tools.ts";
import type { GenerationRequest, ToolChoice } from "../request.ts";
import type { RunState } from "./run-state.ts";
import type { RunSetup } from "./run-setup.ts";
import type { QueuedMessage, SteeringQueue } from "./steering.ts";

/** The next request of a run: what the caller asked for, with what has become of it. */
export function composeRequest(
  { messages, notes, maxOutputTokens, model }: RunState,
  { request, fallback, tools }: Pick<RunSetup, "request" | "fallback" | "tools">,
  hasRunTools: boolean,
): GenerationRequest {
  const { toolChoice: given, ...rest } = request;
  const definitions = [...tools.values()].map(({ definition }) => definition);
  const toolChoice = hasRunTools ? withoutForce(given) : given;
  return {
    ...rest,
    messages: [...messages, ...notes],
    ...(toolChoice !== undefined && { toolChoice }),
    ...(definitions.length > 0 && { tools: definitions }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(model === "fallback" && fallback !== undefined && { model: fallback.model }),
  };
}

/** A model that has to call a tool every time could never answer; once is what was asked for. */
function withoutForce(choice: ToolChoice | undefined): ToolChoice | undefined {
  if (isAmongSome(choice)) return { ...choice, mode: "auto" };
  return choice === "required" || typeof choice === "object" ? undefined : choice;
}

/** What was written during the run and goes with the next request. */
export function messagesFor({ draft, hearsFollowUps }: RunState, queue: SteeringQueue): readonly QueuedMessage[] {
  // Amid an answer that is being completed, a message would stand between its parts.
  if (draft.length > 0) return [];
  const waiting = queue.waiting();
  return hearsFollowUps ? waiting : waiting.filter(({ mode }) => mode === "steer");
}
