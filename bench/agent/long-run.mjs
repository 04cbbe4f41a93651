// @ts-check
import { setImmediate } from "node:timers/promises";
import { createAgentRun, defineTool } from "fullstop/agent";
import { definePolicy } from "fullstop/decide";
import { call, finish, start, text, usage } from "fullstop/testing";

/** What the model says before each call, in the pieces in which it would stream. */
const WORDS = ["Let me ", "look at ", "the next ", "page of ", "the results, ", "and then ", "decide. "].map(text);

/** Without the bounds of the preset, which exist to end such a run. */
const POLICY = definePolicy({ preset: "agent", bounds: { run_tools: 1e9 }, limits: { turns: null } });

/**
 * A run of so many turns: each says a little and calls a tool, whose result is never the same, but for the last,
 * which answers. The engine remembers no request, as one that asks a provider does not: a list of them would grow with
 * the square of the turns.
 *
 * @param {number} turns
 * @returns {Promise<import("fullstop/agent").AgentResult>}
 */
export function runLong(turns) {
  let turn = 0;
  /** @type {import("fullstop").Engine} */
  const engine = {
    async *generate() {
      turn += 1;
      // Whatever comes from a provider or a model lets the event loop turn, and only then Node lets go of what it
      // keeps by weak references, such as the listeners of a signal that another signal removes.
      await setImmediate();
      yield start(`generation-${turn}`);
      yield* WORDS;
      if (turn < turns) yield* call(`call_${turn}`, "read", { page: turn });
      yield usage(100 * turn, 40);
      yield turn < turns ? finish("tool_calls") : finish();
    },
  };
  const read = defineTool({
    name: "read",
    parameters: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
    execute: (input) => `The page ${JSON.stringify(input)} holds ${turn * 7919} things that nobody has seen before.`,
  });
  const request = { model: "scripted", messages: [{ role: /** @type {const} */ ("user"), content: [asked] }] };
  return createAgentRun({ engine, request, tools: [read], policy: POLICY }).result();
}

/** @type {import("fullstop").TextPart} */
const asked = { type: "text", text: "Read all the pages." };

/**
 * Throws unless a run went all the way.
 *
 * @param {import("fullstop/agent").AgentResult} result
 * @param {number} turns
 */
export function checkRun({ end, turns: done, toolCalls }, turns) {
  if (end === "completed" && done === turns && toolCalls.length === turns - 1) return;
  throw new Error(`ended as ${end} after ${done} of ${turns} turns with ${toolCalls.length} calls`);
}
