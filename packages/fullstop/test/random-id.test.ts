import { webcrypto } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAgentRun } from "../src/agent/index.ts";
import { createTracker } from "../src/control/index.ts";
import { createScriptedEngine } from "../src/testing/index.ts";

/** What a browser has of it on a page that came without encryption. */
const insecure = { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => webcrypto.getRandomValues(bytes) };

describe("what gets a random id", () => {
  beforeEach(() => void vi.stubGlobal("crypto", insecure));
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    { name: "a run", createId: () => createAgentRun({ engine: createScriptedEngine([]), request: REQUEST }).id },
    { name: "a generation", createId: () => createTracker().start("chat").id },
  ])("$name gets another one each time, on any page", ({ createId }) => {
    const ids = new Set(Array.from({ length: 100 }, createId));
    expect(ids.size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{32}$/u);
  });
});

const REQUEST = { model: "m", messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }] };
