import OpenAI from "openai";
import { WEATHER, idOf, read } from "./question.ts";
import type { Ask } from "./question.ts";

/** OpenAI's client of Responses. */
export function responsesClient(url: string, key = "none"): Ask {
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  return async ({ model, prompt = "Hi", stream, stop, maxTokens, think, tools, result, fullstop, signal, onPiece }) => {
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: prompt }];
    if (result !== undefined) {
      const { call, text } = result;
      input.push(
        { type: "function_call", call_id: call.id, name: call.name, arguments: JSON.stringify(call.input) },
        { type: "function_call_output", call_id: call.id, output: text },
      );
    }
    // The dialect has no stop strings of its own.
    const ours = { ...fullstop, ...(stop && { stop }) };
    const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      model,
      input,
      ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
      reasoning: think === true ? { effort: "medium", summary: "auto" } : { effort: "none" },
      ...(tools === true && { tools: [{ type: "function" as const, strict: false, ...WEATHER }] }),
      ...(Object.keys(ours).length > 0 && { fullstop: ours }),
    };
    let response: Response;
    let whole: OpenAI.Responses.Response | undefined;
    if (stream) {
      const answer = await client.responses.create({ ...body, stream: true }, { signal }).withResponse();
      response = answer.response;
      let text = "";
      for await (const event of answer.data) {
        onPiece?.();
        if (event.type === "response.output_text.delta") text += event.delta;
        if (
          event.type === "response.completed" ||
          event.type === "response.incomplete" ||
          event.type === "response.failed"
        ) {
          whole = event.response;
        }
      }
      if (whole !== undefined && textOfOutput(whole) !== text) throw new Error("the pieces are not the whole");
    } else {
      ({ data: whole, response } = await client.responses.create(body, { signal }).withResponse());
    }
    const output = whole?.output ?? [];
    return {
      generationId: idOf(response),
      text: whole === undefined ? "" : textOfOutput(whole),
      reasoning: output
        .flatMap((item) => (item.type === "reasoning" ? [...item.summary, ...(item.content ?? [])] : []))
        .map(({ text }) => text)
        .join(""),
      calls: output.flatMap((item) =>
        item.type === "function_call"
          ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
          : [],
      ),
      sources: output
        .flatMap((item) => (item.type === "message" ? item.content : []))
        .flatMap((part) => (part.type === "output_text" ? part.annotations : []))
        .flatMap((annotation) => (annotation.type === "url_citation" ? [annotation.url] : [])),
      finish: whole?.incomplete_details?.reason ?? whole?.status ?? null,
      stopSequence: null,
      usage: whole?.usage && { input: whole.usage.input_tokens, output: whole.usage.output_tokens },
      fullstop: read(whole, "fullstop"),
    };
  };
}

function textOfOutput({ output }: OpenAI.Responses.Response): string {
  return output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
}
