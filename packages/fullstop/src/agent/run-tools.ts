import type { ToolCallPart, ToolMessage } from "../request.ts";
import { parseJson } from "../wire/json.ts";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { LoopEvent } from "./events.ts";
import type { AgentSettings } from "./settings.ts";
import { messageOf, readOutput } from "./tool-output.ts";
import type { AgentTool } from "./tools.ts";

/** What running the tools of one answer needs. */
export interface ToolRunOptions {
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly settings: Pick<AgentSettings, "graceMilliseconds">;
}

/** Runs calls side by side and tells of each as it ends. The results are in the order of the calls. */
export async function* runCalls(
  calls: readonly ToolCallPart[],
  turn: number,
  options: ToolRunOptions,
): AsyncGenerator<LoopEvent, readonly ToolMessage[], undefined> {
  const over = new AbortController();
  const abandonment = waitForAbandonment(options, over.signal);
  const running = new Map<number, Promise<readonly [index: number, result: ToolMessage]>>();
  const results: ToolMessage[] = [];
  try {
    for (const [index, call] of calls.entries()) {
      yield { type: "tool-start", turn, call };
      running.set(
        index,
        runTool(call, options, abandonment).then((result) => [index, result] as const),
      );
    }
    while (running.size > 0) {
      const [index, result] = await Promise.race(running.values());
      running.delete(index);
      results[index] = result;
      yield { type: "tool-end", turn, call: calls[index]!, result };
    }
  } finally {
    over.abort();
  }
  return results;
}

const ABANDONED: unique symbol = Symbol("abandoned");

/** Resolves when the run has been stopped and the grace that tools have to heed it is over. One for all of them. */
async function waitForAbandonment(
  { signal, clock, settings }: ToolRunOptions,
  over: AbortSignal,
): Promise<typeof ABANDONED> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
  });
  await sleep(clock, settings.graceMilliseconds, over);
  return ABANDONED;
}

/** Runs one call to its end. Whatever happens, there is exactly one result, and it never throws. */
async function runTool(
  call: ToolCallPart,
  options: ToolRunOptions,
  abandonment: Promise<typeof ABANDONED>,
): Promise<ToolMessage> {
  const began = options.clock.now();
  const work = executeCall(call, options).catch((error: unknown) => errorResult(call, messageOf(error)));
  const outcome = await Promise.race([work, abandonment]);
  if (outcome !== ABANDONED) return outcome;
  const seconds = ((options.clock.now() - began) / 1000).toFixed(1);
  return errorResult(call, `The run was stopped after ${seconds} s; the tool may have run partly.`);
}

async function executeCall(call: ToolCallPart, { tools, signal }: ToolRunOptions): Promise<ToolMessage> {
  const tool = tools.get(call.name);
  if (signal.aborted) return errorResult(call, NOT_RUN);
  if (tool === undefined) {
    const names = [...tools.keys()].join(", ");
    return errorResult(call, `There is no tool named ${call.name}. The tools are: ${names === "" ? "none" : names}.`);
  }
  const json = parseJson(call.json.trim() === "" ? "{}" : call.json);
  if (json === undefined) return errorResult(call, "The arguments are not JSON. Call the tool again with valid JSON.");
  const prepared = await tool.prepare(json);
  if ("problem" in prepared) return errorResult(call, `The arguments are not right: ${prepared.problem}`);
  // Checking may have taken a while.
  if (signal.aborted) return errorResult(call, NOT_RUN);
  const output = readOutput(await prepared.execute({ callId: call.callId, signal }));
  return { role: "tool", callId: call.callId, name: call.name, ...output };
}

/** What a call is answered with that was certainly not run, which is safe to make again. */
export const NOT_RUN = "The call was not run because the run was stopped.";

/** What a call is answered with that is one too many. */
export const NO_MORE_CALLS = "The call was not run: no more calls are allowed.";

/** The result of a call that was not run, or failed. */
export function errorResult({ callId, name }: ToolCallPart, text: string): ToolMessage {
  return { role: "tool", callId, name, content: [{ type: "text", text }], isError: true };
}

/** The text of a result, for whoever compares results. */
export function resultText({ content }: ToolMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : JSON.stringify(part))).join("");
}
