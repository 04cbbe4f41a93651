import type { GenerationEvent, GenerationRequest, Message, Sink } from "fullstop";
import type { WireFormat } from "fullstop/wire";

/** What a server needs of a dialect: to read what it is asked, and to write its answers. */
export type ServedFormat = Pick<WireFormat, "decodeRequest" | "encodeStream" | "encodeResponse">;

interface OllamaMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly images?: readonly string[];
  readonly thinking?: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: object } }[];
  readonly tool_name?: string;
  readonly tool_call_id?: string;
}

interface OllamaBody {
  readonly model: string;
  readonly messages: readonly OllamaMessage[];
  readonly stream: boolean;
  readonly think?: boolean | string;
  readonly format?: unknown;
  readonly tools?: readonly { function: { name: string; description?: string; parameters: Record<string, unknown> } }[];
  readonly options?: Readonly<Record<string, number>> & { readonly stop?: readonly string[] };
}

/** The words that Ollama has for endings. It has none for calls, and says `length` for a full context too. */
const WORDS: Readonly<Partial<Record<string, string>>> = {
  natural_completion: "stop",
  stop_sequence: "stop",
  tool_calls: "stop",
  token_limit_reached: "length",
  context_window_exceeded: "length",
};

/** Ollama's end of its own dialect, for servers that stand in for it. */
export const OLLAMA_DOUBLE: ServedFormat = {
  decodeRequest: (body) => ({ request: readRequest(body as OllamaBody), warnings: [] }),
  encodeStream: () => (next) => openWriter(next),
  encodeResponse(events) {
    const all = [...events];
    const last = all.at(-1);
    if (last?.type === "finish" && last.signal.reason === "error_termination") {
      return { status: 500, body: { error: last.signal.message } };
    }
    const lines: Record<string, unknown>[] = [];
    const writer = openWriter({
      push: (line) => lines.push(JSON.parse(line) as object as never),
      end: () => undefined,
    });
    for (const event of all) writer.push(event);
    const messages = lines.map(({ message }) => message as Partial<OllamaMessage>);
    const join = (name: "content" | "thinking"): string => messages.map((each) => each[name] ?? "").join("");
    const calls = messages.flatMap((each) => each.tool_calls ?? []);
    const message = {
      role: "assistant",
      content: join("content"),
      ...(join("thinking") !== "" && { thinking: join("thinking") }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return { status: 200, body: { ...lines.at(-1), message } };
  },
};

/** Writes one line for each piece. A call is written when it is whole, counts stand in the last line. */
function openWriter(next: Sink<string>): Sink<GenerationEvent> {
  let model = "";
  let counts = {};
  const calls = new Map<string, { name: string; json: string }>();
  const write = (fields: object): void => {
    next.push(`${JSON.stringify({ model, created_at: "2026-01-01T00:00:00Z", ...fields })}\n`);
  };
  const say = (message: object): void =>
    write({ message: { role: "assistant", content: "", ...message }, done: false });
  return {
    push(event) {
      if (event.type === "start") ({ model } = event);
      else if (event.type === "text") say({ content: event.text });
      else if (event.type === "reasoning") say({ thinking: event.text });
      else if (event.type === "tool-call-start") calls.set(event.callId, { name: event.name, json: "" });
      else if (event.type === "tool-call-delta") calls.get(event.callId)!.json += event.json;
      else if (event.type === "tool-call-end") {
        const { name, json } = calls.get(event.callId)!;
        say({ tool_calls: [{ id: event.callId, function: { name, arguments: JSON.parse(json) as unknown } }] });
      } else if (event.type === "usage") {
        counts = { prompt_eval_count: event.usage.inputTokens, eval_count: event.usage.outputTokens };
      } else if (event.type === "finish") {
        const { reason, message } = event.signal;
        if (reason === "error_termination") next.push(`${JSON.stringify({ error: message })}\n`);
        else {
          const word = WORDS[reason] ?? reason;
          write({ message: { role: "assistant", content: "" }, done: true, done_reason: word, ...counts });
        }
      }
    },
    end: () => next.end(),
  };
}

function readRequest({ model, messages, stream, tools, think, options, format }: OllamaBody): GenerationRequest {
  const { num_predict: maxOutputTokens, stop, ...sampling } = options ?? {};
  return {
    model,
    messages: messages.map(readMessage),
    stream,
    ...(tools !== undefined && { tools: tools.map((tool) => tool.function) }),
    ...(think !== undefined && {
      reasoning: think === true ? { show: true } : { effort: think === false ? "none" : think },
    }),
    ...(stop !== undefined && { stop }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(Object.keys(sampling).length > 0 && { sampling }),
    ...(typeof format === "object" && { output: { type: "json-schema", schema: format as Record<string, unknown> } }),
  };
}

function readMessage(message: OllamaMessage): Message {
  const { role, content, thinking, images = [], tool_calls: calls = [] } = message;
  const text = content === "" ? [] : [{ type: "text" as const, text: content }];
  const shown = images.map((data) => ({
    type: "image" as const,
    source: { type: "data" as const, mediaType: "image/*", data },
  }));
  if (role === "system") return { role, content: text };
  if (role === "user") return { role, content: [...text, ...shown] };
  if (role === "tool") {
    return { role, callId: message.tool_call_id ?? "", name: message.tool_name, content: [...text, ...shown] };
  }
  const parts = calls.map(({ id, function: { name, arguments: input } }) => ({
    type: "tool-call" as const,
    callId: id,
    name,
    json: JSON.stringify(input),
  }));
  const thoughts = thinking === undefined ? [] : [{ type: "reasoning" as const, text: thinking }];
  return { role, content: [...thoughts, ...text, ...parts] };
}
