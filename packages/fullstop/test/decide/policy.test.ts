import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CONTINUING_ACTIONS, POLICIES, definePolicy } from "../../src/decide/index.ts";
import type { BuiltInRule, PolicyName, PolicyOptions, TerminationPolicy } from "../../src/decide/index.ts";

const NAMES: readonly PolicyName[] = ["chat", "agent", "batch"];

describe("a policy", () => {
  it.each(NAMES)("%s is plain data that nobody can change", (name) => {
    const policy = POLICIES[name];
    expect(JSON.parse(JSON.stringify(policy))).toEqual(policy);
    for (const part of [POLICIES, policy, policy.bounds, policy.limits, policy.strategies]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("is the agent's where nothing is said", () => {
    expect(definePolicy()).toEqual(POLICIES.agent);
    expect(definePolicy({ bounds: { retry: undefined }, limits: { turns: undefined } })).toEqual(POLICIES.agent);
  });

  it.each(NAMES)("takes what is left out from the preset %s", (preset) => {
    const policy = definePolicy({ preset, bounds: { retry: 7 }, limits: { messages: 30 } });
    const base = POLICIES[preset];
    expect(policy).toEqual({
      ...base,
      bounds: { ...base.bounds, retry: 7 },
      limits: { ...base.limits, messages: 30 },
    });
  });

  it("lifts a limit with null, and makes a variant of a policy that is there", () => {
    const open = definePolicy({ limits: { turns: null } });
    expect(open.limits.turns).toBeNull();
    expect(definePolicy({ ...POLICIES.chat, unknownErrorRetries: 0 })).toEqual({
      ...POLICIES.chat,
      unknownErrorRetries: 0,
    });
  });

  it("is not changed through the options it was made of", () => {
    const strategies = [() => undefined];
    const policy = definePolicy({ strategies });
    strategies.pop();
    expect(policy.strategies).toHaveLength(1);
  });

  it.each([
    { options: null, message: "policy must be an object, got null" },
    { options: { bound: {} }, message: 'got "bound"' },
    { options: { preset: "robot" }, message: 'preset must be one of chat, agent, batch, got "robot"' },
    { options: { preset: "toString" }, message: 'got "toString"' },
    { options: { bounds: 3 }, message: "bounds must be an object, got 3" },
    { options: { bounds: { stop: 1 } }, message: 'got "stop"' },
    { options: { bounds: { retry: -1 } }, message: "bounds retry must be a whole number of at least 0, got -1" },
    { options: { bounds: { retry: Infinity } }, message: "got Infinity" },
    { options: { bounds: { resume: null } }, message: "bounds resume must be a whole number of at least 0, got null" },
    { options: { limits: { turns: 0 } }, message: "limits turns must be a whole number of at least 1, got 0" },
    { options: { limits: { tokens: 5 } }, message: 'got "tokens"' },
    {
      options: { unknownErrorRetries: "1" },
      message: 'unknownErrorRetries must be a whole number of at least 0, got "1"',
    },
    { options: { strategies: "none" }, message: 'strategies must be a list, got "none"' },
    { options: { strategies: [5] }, message: "strategies must hold functions, got 5" },
  ])("refuses $options", ({ options, message }) => {
    expect(() => definePolicy(options as PolicyOptions)).toThrow(message);
  });
});

describe("docs/automatic-actions.md", () => {
  const page = readFileSync(path.resolve(import.meta.dirname, "../../../../docs/automatic-actions.md"), "utf8");

  /** The cells of the rows whose first cell is a name in code. */
  const rows: readonly (readonly string[])[] = page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );

  /** The last cells of the rows with this name: the figures of chat, agent and batch. */
  function figuresOf(name: string): readonly (readonly string[])[] {
    return rows.filter((cells) => cells[0] === name && cells.length === 5).map((cells) => cells.slice(2));
  }

  function figures(read: (policy: TerminationPolicy) => number | null): readonly (readonly string[])[] {
    return [NAMES.map((name) => String(read(POLICIES[name]) ?? "none"))];
  }

  it.each(CONTINUING_ACTIONS)("gives the bounds of %s as they are", (action) => {
    expect(figuresOf(action)).toEqual(figures(({ bounds }) => bounds[action]));
  });

  it.each(["turns", "messages", "totalTokens"] as const)("gives the limits on %s as they are", (limit) => {
    expect(figuresOf(limit)).toEqual(figures(({ limits }) => limits[limit]));
  });

  it("gives the retries of unknown errors as they are", () => {
    expect(figuresOf("unknownErrorRetries")).toEqual(figures(({ unknownErrorRetries }) => unknownErrorRetries));
  });

  it("lists every built-in rule", () => {
    const known: Record<BuiltInRule, true> = {
      answer_complete: true,
      calls_pending: true,
      calls_missing: true,
      empty_answer: true,
      only_thinking: true,
      nothing_asked: true,
      cut_by_limit: true,
      cut_while_thinking: true,
      length_as_set: true,
      context_full: true,
      withheld: true,
      paused: true,
      repetition: true,
      budget_spent: true,
      cancelled: true,
      malformed_call: true,
      interrupted: true,
      unknown_error: true,
      final_error: true,
      doubtful_ending: true,
      in_progress: true,
      bound_reached: true,
    };
    const listed = rows.filter((cells) => cells.length === 3).map((cells) => cells[0]!);
    expect([...listed].sort()).toEqual(Object.keys(known).sort());
  });
});
