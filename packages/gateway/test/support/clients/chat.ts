import OpenAI from "openai";
import { WEATHER, idOf, read, readText } from "./question.ts";
import type { Ask, Told } from "./question.ts";

/** OpenAI's client of Chat Completions. */
export function chatClient(url: string, key = "none"): Ask {
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  return async ({ model, prompt = "Hi", stream, stop, maxTokens, think, tools, result, fullstop, signal, onPiece }) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: prompt }];
    if (result !== undefined) {
      const { call } = result;
      const named = { name: call.name, arguments: JSON.stringify(call.input) };
      messages.push(
        { role: "assistant", tool_calls: [{ id: call.id, type: "function", function: named }] },
        { role: "tool", tool_call_id: call.id, content: result.text },
      );
    }
    const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model,
      messages,
      ...(stop && { stop: [...stop] }),
      ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
      ...(think !== true && { reasoning_effort: "none" as const }),
      ...(tools === true && { tools: [{ type: "function", function: WEATHER }] }),
      ...(fullstop && { fullstop }),
    };
    if (!stream) {
      const { data, response } = await client.chat.completions.create(body, { signal }).withResponse();
      const { message, finish_reason } = data.choices[0]!;
      return {
        generationId: idOf(response),
        text: message.content ?? "",
        reasoning: readText(message, "reasoning_content"),
        calls: (message.tool_calls ?? []).flatMap((each) =>
          each.type === "function"
            ? [{ id: each.id, name: each.function.name, input: JSON.parse(each.function.arguments) as unknown }]
            : [],
        ),
        sources: (message.annotations ?? []).map(({ url_citation: page }) => page.url),
        finish: finish_reason,
        stopSequence: null,
        usage: data.usage && { input: data.usage.prompt_tokens, output: data.usage.completion_tokens },
        fullstop: read(data, "fullstop"),
      };
    }
    const { data, response } = await client.chat.completions
      .create({ ...body, stream: true, stream_options: { include_usage: true } }, { signal })
      .withResponse();
    const told = { text: "", reasoning: "", finish: null as string | null, fullstop: undefined as unknown };
    let usage: Told["usage"];
    const calls: { id: string; name: string; json: string }[] = [];
    const sources: string[] = [];
    for await (const chunk of data) {
      onPiece?.();
      const choice = chunk.choices[0];
      told.text += choice?.delta.content ?? "";
      told.reasoning += readText(choice, "delta", "reasoning_content");
      told.finish = choice?.finish_reason ?? told.finish;
      told.fullstop ??= read(chunk, "fullstop");
      for (const piece of choice?.delta.tool_calls ?? []) {
        const call = (calls[piece.index] ??= { id: piece.id ?? "", name: piece.function?.name ?? "", json: "" });
        call.json += piece.function?.arguments ?? "";
      }
      for (const annotation of (read(choice, "delta", "annotations") as readonly unknown[] | undefined) ?? []) {
        sources.push(readText(annotation, "url_citation", "url"));
      }
      if (chunk.usage) usage = { input: chunk.usage.prompt_tokens, output: chunk.usage.completion_tokens };
    }
    return {
      ...told,
      generationId: idOf(response),
      calls: calls.map(({ id, name, json }) => ({ id, name, input: JSON.parse(json) as unknown })),
      sources,
      stopSequence: null,
      usage,
    };
  };
}
