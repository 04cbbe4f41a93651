import { afterAll, describe, expect, it } from "vitest";
import { finish, reasoning, start, text, usage } from "fullstop/testing";
import { openGateway, openGatewayForFile } from "../support/gateway.ts";
import { openUpstream } from "../support/upstream.ts";

const upstream = await openUpstream("openai-chat", () => [
  start(),
  reasoning("Hm."),
  text("Done."),
  usage(9, 4),
  finish(),
]);
afterAll(() => upstream.close());

const { baseUrl } = upstream;
const gateway = await openGatewayForFile({
  providers: {
    kimi: { baseUrl, reasoningField: "reasoning_content" },
    router: { baseUrl, reasoningField: "reasoning_details" },
    plain: { baseUrl },
  },
});

const details = [{ type: "reasoning.encrypted", data: "c2Vh", format: "google-gemini-v1", index: 0 }];
const call = { id: "c", type: "function", function: { name: "look", arguments: "{}" } };

/** The model's turn as it arrives, when a client has sent it with its thinking. */
async function sendBack(provider: string): Promise<unknown> {
  const said = { role: "assistant", content: null, tool_calls: [call], reasoning_content: "I look." };
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: `${provider}/any-model`,
      messages: [
        { role: "user", content: "Hi" },
        provider === "router" ? { ...said, reasoning_details: details } : said,
        { role: "tool", tool_call_id: "c", content: "3" },
      ],
    }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return (upstream.requests.at(-1)!.body["messages"] as readonly unknown[])[1];
}

describe("thinking of an earlier turn", () => {
  it("goes back in the field that the provider has for it", async () => {
    expect(await sendBack("kimi")).toEqual({
      role: "assistant",
      content: null,
      reasoning_content: "I look.",
      tool_calls: [call],
    });
  });

  it("goes back with its details where the provider wants those", async () => {
    expect(await sendBack("router")).toEqual({
      role: "assistant",
      content: null,
      reasoning_details: details,
      tool_calls: [call],
    });
  });

  it("goes nowhere else", async () => {
    expect(await sendBack("plain")).toEqual({ role: "assistant", content: null, tool_calls: [call] });
  });

  it("has no field in another dialect", async () => {
    const description = { baseUrl, dialect: "gemini", reasoningField: "reasoning" };
    await expect(openGateway({ providers: { google: description } })).rejects.toThrow(
      "providers.google: reasoningField is for the dialect openai-chat, not for gemini",
    );
  });
});
