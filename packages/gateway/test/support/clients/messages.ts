import Anthropic from "@anthropic-ai/sdk";
import { WEATHER, idOf, read } from "./question.ts";
import type { Ask } from "./question.ts";

/** Anthropic's client of Messages. */
export function messagesClient(url: string, key = "none"): Ask {
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  return async (question) => {
    const { model, prompt = "Hi", stream, stop, maxTokens = 4096, think, tools, result, fullstop, signal } = question;
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: prompt }];
    if (result !== undefined) {
      const { call, text } = result;
      messages.push(
        { role: "assistant", content: [{ type: "tool_use", id: call.id, name: call.name, input: call.input }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: text }] },
      );
    }
    const { name, description, parameters } = WEATHER;
    const body: Anthropic.MessageCreateParamsNonStreaming = {
      model,
      messages,
      max_tokens: maxTokens,
      thinking: think === true ? { type: "enabled", budget_tokens: 2048 } : { type: "disabled" },
      ...(stop && { stop_sequences: [...stop] }),
      ...(tools === true && {
        tools: [{ name, description, input_schema: { ...parameters, required: [...parameters.required] } }],
      }),
      ...(fullstop && { fullstop }),
    };
    let message: Anthropic.Message;
    let response: Response;
    let extension: unknown;
    if (stream) {
      const events = client.messages.stream(body, { signal });
      events.on("streamEvent", (event) => {
        question.onPiece?.();
        extension ??= read(event, "fullstop");
      });
      message = await events.finalMessage();
      ({ response } = await events.withResponse());
    } else {
      ({ data: message, response } = await client.messages.create(body, { signal }).withResponse());
      extension = read(message, "fullstop");
    }
    return {
      generationId: idOf(response),
      text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      reasoning: message.content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
      calls: message.content.flatMap((block) =>
        block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
      ),
      sources: message.content
        .flatMap((block) => (block.type === "text" ? (block.citations ?? []) : []))
        .flatMap((citation) => (citation.type === "web_search_result_location" ? [citation.url] : [])),
      finish: message.stop_reason,
      stopSequence: message.stop_sequence,
      usage: { input: message.usage.input_tokens, output: message.usage.output_tokens },
      fullstop: extension,
    };
  };
}
