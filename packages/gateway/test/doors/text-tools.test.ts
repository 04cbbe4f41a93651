import { call, finish, start, text, usage } from "fullstop/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { ASKED_DIALECTS } from "../support/dialects.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({ models: { pip: { local: "pip", threads: 1 } } });
const client = new OpenAI({ apiKey: "none", baseURL: `${gateway.url}/v1`, maxRetries: 0 });

const PATCH = '*** Begin Patch\n+ say "hi" \\ 🌍';
const CALLING = [
  start(),
  text("Mending."),
  ...call("c1", "apply_patch", { input: PATCH }),
  usage(9, 4),
  finish("tool_calls"),
];
const grammar = { syntax: "lark" as const, definition: "start: /.+/" };
const inResponses = { type: "custom" as const, name: "apply_patch", format: { type: "grammar" as const, ...grammar } };
const inChat = {
  type: "custom" as const,
  custom: { name: "apply_patch", format: { type: "grammar" as const, grammar } },
};

describe.each(ASKED_DIALECTS)("a tool of OpenAI's client that takes text, in front of %s", (dialect) => {
  const model = `${dialect}/any-model`;
  const question = { role: "user" as const, content: "Mend it." };

  it("is called and answered in Responses, whole and as a stream", async () => {
    gateway.script(dialect, CALLING);
    const asked = { model, input: [question], tools: [inResponses] };
    const whole = await client.responses.create(asked);
    const streamed = await client.responses.stream(asked).finalResponse();
    const called = { type: "custom_tool_call", name: "apply_patch", input: PATCH };
    for (const { output } of [whole, streamed]) expect(output).toMatchObject([{ type: "message" }, called]);
    const kept = await client.responses.retrieve(whole.id);
    expect(kept.output).toEqual(whole.output);

    gateway.script(dialect, [start(), text("Done."), usage(9, 4), finish()]);
    const history = whole.output as OpenAI.Responses.ResponseInput;
    const { call_id: callId } = whole.output.find(
      ({ type }) => type === "custom_tool_call",
    ) as OpenAI.Responses.ResponseCustomToolCall;
    const result = { type: "custom_tool_call_output" as const, call_id: callId, output: "It worked." };
    const answer = await client.responses.create({ ...asked, input: [question, ...history, result] });
    expect(answer.output_text).toBe("Done.");
    const { request } = gateway.upstreams[dialect].requests.at(-1)!;
    expect(request.tools).toMatchObject([{ name: "apply_patch", parameters: { required: ["input"] } }]);
    expect(request.messages.at(-1)).toMatchObject({ role: "tool", content: [{ text: "It worked." }] });
    const sent = request.messages[1]?.content.find(({ type }) => type === "tool-call") as { readonly json: string };
    expect(JSON.parse(sent.json)).toEqual({ input: PATCH });
  });

  it("is found by an item that is only referred to", async () => {
    gateway.script(dialect, CALLING);
    const { output } = await client.responses.create({ model, input: [question], tools: [inResponses] });
    const items = output.map(({ id }) => ({ type: "item_reference" as const, id: id ?? "" }));
    const { call_id: callId } = output.at(-1) as OpenAI.Responses.ResponseCustomToolCall;
    const result = { type: "custom_tool_call_output" as const, call_id: callId, output: "It worked." };
    gateway.script(dialect, [start(), text("Done."), usage(9, 4), finish()]);
    const answer = await client.responses.create({ model, input: [question, ...items, result], tools: [inResponses] });
    expect(answer.output_text).toBe("Done.");
  });

  it("is called in Chat, whole and as a stream", async () => {
    gateway.script(dialect, CALLING);
    const asked = { model, messages: [question], tools: [inChat] };
    const whole = await client.chat.completions.create(asked);
    const custom = { name: "apply_patch", input: PATCH };
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ type: "custom", custom }] },
    });
    let input = "";
    for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true })) {
      const [piece] = (choices[0]?.delta.tool_calls ?? []) as readonly {
        readonly custom?: { readonly input: string };
      }[];
      input += piece?.custom?.input ?? "";
    }
    expect(input).toBe(PATCH);
  });
});

describe("a tool of OpenAI's client that takes text, in front of Pip", () => {
  it("is called as it would be by any model", async () => {
    const { output } = await client.responses.create({
      model: "pip",
      input: "Mend it.",
      tools: [inResponses],
      tool_choice: { type: "custom", name: "apply_patch" },
      parallel_tool_calls: false,
      max_output_tokens: 200,
    });
    expect(output.at(-1)).toMatchObject({
      type: "custom_tool_call",
      name: "apply_patch",
      input: expect.any(String) as string,
    });
  });
});
