import { GoogleGenAI } from "@google/genai";
import { WEATHER } from "./question.ts";
import type { Ask } from "./question.ts";

/** Google's client of Gemini. */
export function geminiClient(url: string, key = "none"): Ask {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  return async ({ model, prompt = "Hi", stream, stop, maxTokens, think, tools, result, fullstop, signal, onPiece }) => {
    const contents: object[] = [{ role: "user", parts: [{ text: prompt }] }];
    if (result !== undefined) {
      const { call, text } = result;
      contents.push(
        { role: "model", parts: [{ functionCall: { id: call.id, name: call.name, args: call.input } }] },
        { role: "user", parts: [{ functionResponse: { id: call.id, name: call.name, response: { output: text } } }] },
      );
    }
    const { name, description, parameters } = WEATHER;
    const asked = {
      model,
      contents: contents as never,
      config: {
        ...(stop && { stopSequences: [...stop] }),
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
        ...(signal && { abortSignal: signal }),
        ...(fullstop && { httpOptions: { extraBody: { fullstop } } }),
        ...(tools === true && {
          tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }],
        }),
        thinkingConfig: think === true ? { includeThoughts: true } : { thinkingBudget: 0 },
      },
    };
    const chunks = [];
    if (stream) {
      for await (const chunk of await client.models.generateContentStream(asked)) {
        onPiece?.();
        chunks.push(chunk);
      }
    } else {
      chunks.push(await client.models.generateContent(asked));
    }
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    const usage = chunks.at(-1)?.usageMetadata;
    const headers = chunks[0]?.sdkHttpResponse?.headers;
    return {
      generationId: headers?.["x-fullstop-generation-id"] ?? "",
      text: parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join(""),
      reasoning: parts.map(({ text, thought }) => (thought === true ? (text ?? "") : "")).join(""),
      calls: parts.flatMap(({ functionCall }) =>
        functionCall === undefined
          ? []
          : [{ id: functionCall.id ?? "", name: functionCall.name ?? "", input: functionCall.args }],
      ),
      sources: chunks
        .flatMap((chunk) => chunk.candidates?.[0]?.groundingMetadata?.groundingChunks ?? [])
        .flatMap(({ web }) => web?.uri ?? []),
      finish: chunks.at(-1)?.candidates?.[0]?.finishReason ?? null,
      stopSequence: null,
      usage: usage && {
        input: usage.promptTokenCount ?? 0,
        output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      },
      fullstop: undefined,
    };
  };
}
