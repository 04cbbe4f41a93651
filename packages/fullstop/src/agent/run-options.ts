import { checkFunction } from "../check.ts";
import { systemClock } from "../clock.ts";
import { POLICIES, checkPolicy } from "../decide/policy.ts";
import type { Engine } from "../engine.ts";
import { invalidArgument } from "../errors.ts";
import { createCallWatch } from "./call-cycles.ts";
import { checkRunLimits } from "./limits.ts";
import type { AgentOptions } from "./run.ts";
import type { RunSetup } from "./run-setup.ts";
import { defineAgentSettings } from "./settings.ts";
import type { AgentTool } from "./tools.ts";

/** What several runs may have in common. */
type CommonOptions = Pick<AgentOptions, "tools" | "policy" | "limits" | "repetition" | "settings" | "stage" | "clock">;

/** Fills in what was left out of what runs may have in common, and refuses what cannot be. */
export function fillIn(options: CommonOptions): Pick<RunSetup, keyof CommonOptions> {
  const { tools = [], policy = POLICIES.agent, limits = {}, repetition = {}, clock = systemClock, stage } = options;
  checkPolicy(policy);
  checkRunLimits(limits);
  checkFunction("stage", stage);
  // Made once here only to find out now whether it can be.
  createCallWatch(repetition);
  return {
    tools: nameTools(tools),
    policy,
    limits,
    settings: defineAgentSettings(options.settings),
    repetition,
    stage: stage ?? ((next) => next),
    clock,
  };
}

/** Refuses what cannot generate. */
export function checkEngine(name: string, engine: Engine): void {
  if (typeof engine?.generate !== "function") throw invalidArgument(name, "must have a generate function", engine);
}

function nameTools(tools: readonly AgentTool[]): ReadonlyMap<string, AgentTool> {
  if (!Array.isArray(tools)) throw invalidArgument("tools", "must be a list", tools);
  const named = new Map<string, AgentTool>();
  for (const tool of tools as readonly AgentTool[]) {
    const name = tool?.definition?.name;
    if (typeof name !== "string" || typeof tool.prepare !== "function") {
      throw invalidArgument("tools", "must hold tools made by defineTool", tool);
    }
    if (named.has(name)) throw invalidArgument("tools", "must have different names", name);
    named.set(name, tool);
  }
  return named;
}
