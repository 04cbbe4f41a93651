import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { call, callEnd, callStart, finish, reasoning, start, text } from "../support/official.ts";
import { DIALECTS, openProviderServer } from "../support/provider-server.ts";
import type { Dialect } from "../support/provider-server.ts";
import { brokenRules } from "../support/requests-rules.ts";

/** A turn of a model that thinks, speaks and calls two tools, one of them without arguments. */
function turnSignedBy(signer: Dialect): readonly GenerationEvent[] {
  const proof = { signature: `signed by ${signer}`, signedBy: signer };
  return [
    start,
    reasoning("I "),
    reasoning("think."),
    { type: "reasoning", text: "", ...proof },
    // Only one provider withholds thinking.
    ...(signer === "anthropic-messages" ? [{ type: "reasoning" as const, text: "", ...proof, redacted: true }] : []),
    text("Let "),
    text("me see."),
    ...call("call_1", "weather", '{"city":"Oslo"}').slice(0, -1),
    { type: "tool-call-end", callId: "call_1", ...(signer === "gemini" && proof) },
    callStart("call_2", "time"),
    callEnd("call_2"),
    finish("tool_calls"),
  ];
}

const results = [
  { id: "call_1", name: "weather", output: "rain" },
  { id: "call_2", name: "time", output: "noon" },
];

interface Client {
  readonly name: string;
  readonly dialect: Dialect;
  /** Asks, keeps the answer as the client does, and sends it back with the results of its calls. */
  converse(address: string): Promise<unknown>;
}

const model = "some-model";
const openai = (address: string): OpenAI => new OpenAI({ apiKey: "none", baseURL: address, maxRetries: 0 });
const anthropic = (address: string): Anthropic =>
  new Anthropic({ apiKey: "none", baseURL: address.replace(/\/v1$/u, ""), maxRetries: 0 });
const google = (address: string): GoogleGenAI =>
  new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: address.replace(/\/v1$/u, "") } });

const toolResults = results.map(({ id, output }) => ({ role: "tool" as const, tool_call_id: id, content: output }));
const resultBlocks = results.map(({ id, output }) => ({
  type: "tool_result" as const,
  tool_use_id: id,
  content: output,
}));
const outputs = results.map(({ id, output }) => ({ type: "function_call_output" as const, call_id: id, output }));
const responses = results.map(({ id, name, output }) => ({ functionResponse: { id, name, response: { output } } }));

const clients: readonly Client[] = [
  {
    name: "Chat, streaming",
    dialect: "openai-chat",
    async converse(address) {
      const question = { role: "user" as const, content: "Hi" };
      const { completions } = openai(address).chat;
      const answer = await completions.stream({ model, messages: [question] }).finalChatCompletion();
      const said = answer.choices[0]!.message;
      return completions.create({ model, messages: [question, said, ...toolResults] });
    },
  },
  {
    name: "Chat",
    dialect: "openai-chat",
    async converse(address) {
      const question = { role: "user" as const, content: "Hi" };
      const { completions } = openai(address).chat;
      const answer = await completions.create({ model, messages: [question] });
      return completions.create({ model, messages: [question, answer.choices[0]!.message, ...toolResults] });
    },
  },
  {
    name: "Responses, streaming",
    dialect: "openai-responses",
    async converse(address) {
      const client = openai(address).responses;
      const question = { role: "user" as const, content: "Hi" };
      const { output } = await client.stream({ model, input: [question] }).finalResponse();
      return client.create({ model, input: [question, ...(output as OpenAI.Responses.ResponseInput), ...outputs] });
    },
  },
  {
    name: "Responses",
    dialect: "openai-responses",
    async converse(address) {
      const client = openai(address).responses;
      const question = { role: "user" as const, content: "Hi" };
      const { output } = await client.create({ model, input: [question] });
      return client.create({ model, input: [question, ...(output as OpenAI.Responses.ResponseInput), ...outputs] });
    },
  },
  {
    name: "Messages, streaming",
    dialect: "anthropic-messages",
    async converse(address) {
      const { messages } = anthropic(address);
      const question = { role: "user" as const, content: "Hi" };
      const { content } = await messages.stream({ model, max_tokens: 2000, messages: [question] }).finalMessage();
      const history = [
        question,
        { role: "assistant" as const, content },
        { role: "user" as const, content: resultBlocks },
      ];
      return messages.create({ model, max_tokens: 2000, messages: history });
    },
  },
  {
    name: "Messages",
    dialect: "anthropic-messages",
    async converse(address) {
      const { messages } = anthropic(address);
      const question = { role: "user" as const, content: "Hi" };
      const { content } = await messages.create({ model, max_tokens: 2000, messages: [question] });
      const history = [
        question,
        { role: "assistant" as const, content },
        { role: "user" as const, content: resultBlocks },
      ];
      return messages.create({ model, max_tokens: 2000, messages: history });
    },
  },
  {
    name: "Gemini, streaming",
    dialect: "gemini",
    async converse(address) {
      const chat = google(address).chats.create({ model });
      for await (const chunk of await chat.sendMessageStream({ message: "Hi" })) expect(chunk).toBeDefined();
      return chat.sendMessage({ message: responses });
    },
  },
  {
    name: "Gemini",
    dialect: "gemini",
    async converse(address) {
      const chat = google(address).chats.create({ model });
      await chat.sendMessage({ message: "Hi" });
      return chat.sendMessage({ message: responses });
    },
  },
];

/** What a client sends for the second turn, when its first was answered with these events. */
async function secondTurn(client: Client, events: readonly GenerationEvent[]) {
  const server = await openProviderServer(client.dialect, () => events);
  try {
    await client.converse(server.baseUrl);
    const [, second] = server.requests;
    return second!;
  } finally {
    await server.close();
  }
}

describe.each(clients)("the second turn of the official client of $name", (client) => {
  it.each(DIALECTS)("reaches %s as the conversation that it was", async (upstream) => {
    const { request, warnings } = await secondTurn(client, turnSignedBy(upstream));
    expect(warnings).toEqual([]);
    const encoded = WIRE_FORMATS[upstream].encodeRequest({ ...request, maxOutputTokens: 2000 });
    expect(brokenRules(upstream, encoded.body)).toEqual([]);
    // What comes to the provider is what it has said itself, as far as the client's dialect can hold that.
    const { request: arrived } = WIRE_FORMATS[upstream].decodeRequest(encoded.body, { model });
    const [asked, said, ...answered] = arrived.messages;
    expect(asked).toEqual({ role: "user", content: [{ type: "text", text: "Hi" }] });
    expect(said).toEqual({ role: "assistant", content: expectedTurn(client, upstream) });
    expect(answered).toMatchObject([
      { role: "tool", callId: "call_1", content: [{ type: "text", text: "rain" }] },
      { role: "tool", callId: "call_2", content: [{ type: "text", text: "noon" }] },
    ]);
  });

  it.each(DIALECTS)("is taken by %s when another model has answered the first", async (upstream) => {
    for (const signer of DIALECTS) {
      const { request } = await secondTurn(client, turnSignedBy(signer));
      const reasoned = { ...request, reasoning: { budgetTokens: 1024 }, maxOutputTokens: 2000 };
      expect(brokenRules(upstream, WIRE_FORMATS[upstream].encodeRequest(reasoned).body)).toEqual([]);
    }
  });
});

/** The parts of the model's turn as they arrive. OpenAI's own Chat takes no thinking back. */
function expectedTurn({ dialect: client }: Client, upstream: Dialect): readonly object[] {
  const proof = { signature: `signed by ${upstream}`, signedBy: upstream };
  const isKept = upstream !== "openai-chat";
  return [
    ...(isKept ? [{ type: "reasoning", text: "I think.", ...proof }] : []),
    ...(isKept && upstream === "anthropic-messages" ? [{ type: "reasoning", text: "", ...proof, redacted: true }] : []),
    { type: "text", text: "Let me see." },
    {
      type: "tool-call",
      callId: "call_1",
      name: "weather",
      json: '{"city":"Oslo"}',
      // Google's own way to say it in Chat is the only one besides its own dialect.
      ...(upstream === "gemini" && (client === "openai-chat" || client === "gemini") && proof),
    },
    { type: "tool-call", callId: "call_2", name: "time", json: "{}" },
  ];
}
