import Anthropic from "@anthropic-ai/sdk";
import { call, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/errors.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const client = new Anthropic({ apiKey: "none", baseURL: gateway.url, maxRetries: 0 });

const asked = { max_tokens: 100, messages: [{ role: "user" as const, content: "How is it in Paris?" }] };

const WEATHER = {
  name: "get_weather",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
  parse: (input: unknown) => input,
  run: () => "sunny",
};

// Anthropic's client keeps a conversation on the server by itself and sends only what is new, unless it is refused.
describe.each(["openai-chat", "anthropic-messages"] as const)("a conversation of which %s is to keep a part", (to) => {
  const model = `${to}/some-model`;

  it.each([true, false])("goes on whole where the client runs tools by itself, stream: %s", async (stream) => {
    gateway.script(to, ({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? [start(), text("It is sunny."), usage(20, 4), finish()]
        : [start(), ...call("call_1", "get_weather", { city: "Paris" }), usage(9, 9), finish("tool_calls")],
    );
    const message = await client.beta.messages.toolRunner({ ...asked, model, stream, tools: [WEATHER] });
    expect(message).toMatchObject({ content: [{ type: "text", text: "It is sunny." }], stop_reason: "end_turn" });
    const { body, request } = gateway.upstreams[to].requests.at(-1)!;
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(request.tools).toMatchObject([{ name: "get_weather" }]);
    expect(body).not.toHaveProperty("thread");
  });

  it.each([{ type: "create" as const }, { type: "continue" as const, previous_message_id: "msg_1" }])(
    "is refused as a thread that cannot be had, and nobody is asked: %o",
    async (thread) => {
      const before = gateway.upstreams[to].requests.length;
      const refused = client.beta.messages.create({ ...asked, model, thread });
      await expect(refused).rejects.toMatchObject({ status: 400, errorCode: "thread_unsupported_request" });
      expect((await errorOf(refused)).message).toContain("the whole conversation has to be in the request");
      expect(gateway.upstreams[to].requests).toHaveLength(before);
    },
  );
});
