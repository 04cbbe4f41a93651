import type { Engine } from "fullstop";
import { describe, expect, test } from "vitest";
import { defineBotSettings } from "../src/settings.ts";

const TOKEN = "123456:a-secret";
const engine = { generate: () => [] } as unknown as Engine;

function refusalOf(options: object): string {
  try {
    defineBotSettings({ token: TOKEN, model: "pip", engine, ...options });
  } catch (error) {
    return String(error);
  }
  return "taken";
}

describe("options that cannot be", () => {
  test.each([
    ["a name that there is not", { draft: true }, "draft: there is no such option"],
    ["a word that there is not", { whenBusy: "shout" }, 'got "shout"'],
    ["a pace that goes backwards", { pace: { groupMilliseconds: -1 } }, "got -1"],
    ["a token that is none", { token: "a secret" }, "token: must be a bot's token"],
    ["a policy that there is not", { policy: { maxWords: 3 } }, "maxWords"],
    ["rules that there are not", { rules: { stopAt: "END" } }, "stopAt"],
    ["neither an engine nor a gateway", { engine: undefined }, "either an engine or a gateway"],
  ])("are refused, and the token is not quoted: %s", (_what, options, says) => {
    const refusal = refusalOf(options);

    expect(refusal).toContain(says);
    expect(refusal).not.toContain("secret");
  });
});
