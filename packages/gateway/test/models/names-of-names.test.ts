import { finish, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({
  aliases: { first: "second", second: "third", third: "gemini/some-model" },
  fallbacks: { second: ["openai-chat/other-model"] },
});
gateway.script("gemini", { status: 500 });
gateway.script("openai-chat", [start(), text("Hello"), finish()]);
const ask = CLIENTS["openai-chat"](gateway.url);

describe("an alias of an alias", () => {
  it.each(["first", "second"])("has what is asked instead of any name on the way: %s", async (model) => {
    expect(await ask({ model, stream: false })).toMatchObject({ text: "Hello" });
  });

  it("has nothing that only a name before it has", async () => {
    await expect(ask({ model: "third", stream: false })).rejects.toThrow(/500|502|error/iu);
  });
});
