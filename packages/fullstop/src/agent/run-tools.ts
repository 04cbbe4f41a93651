import type { ToolCallPart, ToolMessage } from "../request.ts";
import { isRecord, parseJson } from "../wire/json.ts";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentTool, ToolContext } from "./tools.ts";

/** What running the tools of one answer needs. */
export interface ToolRunOptions {
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** How long a tool may take to heed the signal before it is abandoned. */
  readonly graceMilliseconds: number;
}

/** Runs calls side by side and tells of each as it ends. The results are in the order of the calls. */
export async function* runCalls(
  calls: readonly ToolCallPart[],
  turn: number,
  options: ToolRunOptions,
): AsyncGenerator<AgentEvent, readonly ToolMessage[], undefined> {
  const running = new Map<number, Promise<readonly [index: number, result: ToolMessage]>>();
  const results: ToolMessage[] = [];
  for (const [index, call] of calls.entries()) {
    yield { type: "tool-start", turn, call };
    running.set(
      index,
      runTool(call, options).then((result) => [index, result] as const),
    );
  }
  while (running.size > 0) {
    const [index, result] = await Promise.race(running.values());
    running.delete(index);
    results[index] = result;
    yield { type: "tool-end", turn, call: calls[index]!, result };
  }
  return results;
}

/** Runs one call to its end. Whatever happens, there is exactly one result, and it never throws. */
async function runTool(call: ToolCallPart, options: ToolRunOptions): Promise<ToolMessage> {
  const { tools, signal } = options;
  if (signal.aborted) return errorResult(call, "The call was not run because the run was stopped.");
  const tool = tools.get(call.name);
  if (tool === undefined) {
    const names = [...tools.keys()].join(", ");
    return errorResult(call, `There is no tool named ${call.name}. The tools are: ${names === "" ? "none" : names}.`);
  }
  const json = parseJson(call.json.trim() === "" ? "{}" : call.json);
  if (json === undefined) return errorResult(call, "The arguments are not JSON. Call the tool again with valid JSON.");
  try {
    const prepared = await tool.prepare(json);
    if ("problem" in prepared) return errorResult(call, `The arguments are not right: ${prepared.problem}`);
    return await executeTool(call, prepared.execute, options);
  } catch (error) {
    return errorResult(call, error instanceof Error && error.message !== "" ? error.message : String(error));
  }
}

/** Executes a tool, and lets it go if it does not heed the signal in time. */
async function executeTool(
  call: ToolCallPart,
  execute: (context: ToolContext) => unknown,
  { signal, clock, graceMilliseconds }: ToolRunOptions,
): Promise<ToolMessage> {
  const began = clock.now();
  const finished = new AbortController();
  const work = Promise.resolve(execute({ callId: call.callId, signal })).finally(() => finished.abort());
  const abandoned = whenAborted(signal, finished.signal).then(async () => {
    await sleep(clock, graceMilliseconds, finished.signal);
    return ABANDONED;
  });
  const outcome = await Promise.race([work, abandoned]);
  if (outcome !== ABANDONED) return toResult(call, outcome);
  // Nobody waits for it any more, so nobody would hear what it throws.
  work.catch(() => undefined);
  const seconds = ((clock.now() - began) / 1000).toFixed(1);
  return errorResult(call, `The run was stopped after ${seconds} s; the tool may have run partly.`);
}

const ABANDONED: unique symbol = Symbol("abandoned");

/** Waits until the first signal fires. Once the second has fired nobody waits any more. */
function whenAborted(signal: AbortSignal, finished: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true, signal: finished });
  });
}

function toResult(call: ToolCallPart, output: unknown): ToolMessage {
  const { callId, name } = call;
  if (isRecord(output) && Array.isArray(output["content"])) {
    return { role: "tool", callId, name, content: output["content"].filter(isContentPart) };
  }
  return { role: "tool", callId, name, content: [{ type: "text", text: toText(output) }] };
}

function isContentPart(part: unknown): part is ToolMessage["content"][number] {
  return isRecord(part) && (part["type"] === "text" || part["type"] === "image");
}

function toText(output: unknown): string {
  if (typeof output === "string") return output;
  return JSON.stringify(output) ?? "";
}

/** The result of a call that was not run, or failed. */
export function errorResult({ callId, name }: ToolCallPart, text: string): ToolMessage {
  return { role: "tool", callId, name, content: [{ type: "text", text }], isError: true };
}

/** The text of a result, for whoever compares results. */
export function resultText({ content }: ToolMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : JSON.stringify(part))).join("");
}
