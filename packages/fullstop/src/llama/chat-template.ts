import { quote } from "../errors.ts";
import { REASONING_MARKERS } from "../reasoning/markers.ts";
import type { ReasoningMarkers } from "../reasoning/markers.ts";
import type { AssistantMessage, Message, ToolDefinition } from "../request.ts";
import type { LiteralText } from "./literal-text.ts";
import { messageOf } from "./message-of.ts";
import { Refusal, refuse } from "./refusal.ts";

/** What a template is given beside the messages. */
export interface TemplateSettings {
  /** False asks the template for an answer without thinking; undefined leaves it to the template. */
  readonly thinking: boolean | undefined;
  readonly tools: readonly ToolDefinition[];
}

/** A model's own way of writing a conversation down. */
export interface ChatTemplate {
  /** Whether the template knows what to do with tools. */
  readonly takesTools: boolean;
  /** The markers of thinking that it mentions. */
  readonly thinkingMarkers: readonly ReasoningMarkers[];
  /** Writes a conversation and the beginning of the answer. Refuses what the template does not take. */
  render(messages: readonly Message[], settings: TemplateSettings): string;
}

/** A template that is compiled: what `@huggingface/jinja` makes of one. */
export interface CompiledTemplate {
  render(items: Record<string, unknown>): string;
}

/** The tokens that templates write by name. */
export interface TemplateTokens {
  readonly bos: string;
  readonly eos: string;
}

/** Makes a model's compiled template usable with requests. What the request contains is protected as literal text. */
export function createChatTemplate(
  source: string,
  compiled: CompiledTemplate,
  tokens: TemplateTokens,
  literal: LiteralText,
): ChatTemplate {
  return {
    takesTools: /\btools\b/u.test(source),
    thinkingMarkers: REASONING_MARKERS.filter(({ open, close }) => source.includes(open) || source.includes(close)),
    render(messages, { thinking, tools }) {
      try {
        return compiled.render({
          messages: messages.map((message) => toTemplateMessage(message, literal)),
          add_generation_prompt: true,
          bos_token: tokens.bos,
          eos_token: tokens.eos,
          ...(tools.length > 0 && { tools: tools.map((tool) => toTemplateTool(tool, literal)) }),
          ...(thinking !== undefined && { enable_thinking: thinking }),
        });
      } catch (error) {
        throw toRefusal(error);
      }
    },
  };
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  // JSON can be read at any depth, but not written. There is no other way to tell than by the stack that is full.
  if (error instanceof RangeError) {
    return refuse("invalid_request", "The tools or calls of the request are nested too deeply");
  }
  return refuse("invalid_request", `The model's chat template refuses the conversation: ${messageOf(error)}`);
}

function toTemplateTool(
  { name, description, parameters }: ToolDefinition,
  { protect, protectAll }: LiteralText,
): object {
  return {
    type: "function",
    function: {
      name: protect(name),
      ...(description !== undefined && { description: protect(description) }),
      parameters: protectAll(parameters ?? { type: "object", properties: {} }),
    },
  };
}

function toTemplateMessage(message: Message, literal: LiteralText): object {
  const { role } = message;
  const content = literal.protect(textOf(message));
  if (role === "assistant") return { role, content, ...thoughtsAndCalls(message, literal) };
  if (role !== "tool") return { role, content };
  const { callId, name = "" } = message;
  return { role, content, tool_call_id: literal.protect(callId), name: literal.protect(name) };
}

function thoughtsAndCalls({ content }: AssistantMessage, { protect, protectAll }: LiteralText): object {
  const calls = content.filter((part) => part.type === "tool-call");
  const thoughts = content.filter((part) => part.type === "reasoning").map(({ text }) => text);
  return {
    ...(thoughts.length > 0 && { reasoning_content: protect(thoughts.join("")) }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ callId, name, json }) => ({
        id: protect(callId),
        type: "function",
        function: { name: protect(name), arguments: protectAll(parseArguments(json)) },
      })),
    }),
  };
}

/** Templates write arguments as JSON themselves, so they want the value; what is no JSON goes in as it stands. */
function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** What a dialect calls a part, which may be a document or misspelt: its type, or else its fields; none of its content. */
function nameKind(part: Message["content"][number]): string {
  const value: unknown = part.type === "opaque" ? part.value : part;
  if (typeof value !== "object" || value === null) return typeof value;
  return quote("type" in value && typeof value.type === "string" ? value.type : Object.keys(value).join(", "));
}

function textOf(message: Message): string {
  const texts: string[] = [];
  for (const part of message.content) {
    if (part.type === "text") texts.push(part.text);
    else if (message.role !== "assistant") {
      const what = part.type === "image" ? "an image" : `a part of another kind, ${nameKind(part)}`;
      throw refuse("invalid_request", `This model reads text only, and the request holds ${what}`);
    }
  }
  return texts.join("");
}
