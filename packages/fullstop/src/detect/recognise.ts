import type { WireFormatName } from "../wire/format.ts";
import { isRecord, listOf, recordOf, stringOf } from "../wire/json.ts";
import type { JsonRecord } from "../wire/json.ts";

/** One way to tell a dialect: whether a value of it looks like this. */
type Clue = readonly [format: WireFormatName, holds: (value: JsonRecord, event: string) => boolean];

const MESSAGES_EVENTS = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop))$/u;
const COHERE_EVENTS =
  /^(?:message-(?:start|end)|content-(?:start|delta|end)|tool-(?:plan-delta|call-(?:start|delta|end)))$/u;
const CONVERSE_EVENTS = /^(?:messageSt(?:art|op)|contentBlock(?:Start|Delta|Stop))$/u;
const MISTRAL_MODELS = /(?:^|\/)(?:open-)?(?:mi(?:s|x|ni)tral|ministral|magistral|codestral|devstral|pixtral|voxtral)/u;

/**
 * What tells each dialect, in an order in which the first that holds is right. Answers come before errors, because
 * errors look much the same everywhere.
 */
const CLUES: readonly Clue[] = [
  ["openai-responses", (value, event) => typeOf(value, event).startsWith("response.")],
  [
    "openai-responses",
    (value) => value["object"] === "response" || (Array.isArray(value["output"]) && "status" in value),
  ],
  ["anthropic-messages", (value, event) => MESSAGES_EVENTS.test(typeOf(value, event))],
  ["anthropic-messages", (value) => value["type"] === "message" && "stop_reason" in value],
  ["gemini-interactions", (value) => typeof value["event_type"] === "string" || value["object"] === "interaction"],
  ["gemini-interactions", (value) => Array.isArray(value["steps"]) && "status" in value],
  [
    "gemini",
    (value) =>
      Array.isArray(value["candidates"]) || isRecord(value["promptFeedback"]) || isRecord(value["usageMetadata"]),
  ],
  ["cohere-chat", (value, event) => COHERE_EVENTS.test(typeOf(value, event))],
  ["cohere-chat", (value) => isRecord(value["message"]) && "finish_reason" in value],
  ["ollama-chat", (value) => typeof value["done"] === "boolean" || "done_reason" in value],
  [
    "bedrock-converse",
    (value, event) => CONVERSE_EVENTS.test(event) || CONVERSE_EVENTS.test(Object.keys(value)[0] ?? ""),
  ],
  ["bedrock-converse", (value) => typeof value["stopReason"] === "string" && isRecord(value["output"])],
  ["openai-completions", (value) => value["object"] === "text_completion" || "stop_type" in value],
  // A piece of llama.cpp's own route, and of SGLang's.
  ["openai-completions", (value) => typeof value["stop"] === "boolean" && typeof value["content"] === "string"],
  ["openai-completions", (value) => isRecord(value["meta_info"]) && typeof value["text"] === "string"],
  ["openai-completions", (value) => isRecord(value["token"]) || typeof value["generated_text"] === "string"],
  ["openai-completions", (value) => listOf(value["choices"]).some((choice) => isTextChoice(recordOf(choice)))],
  ["mistral-chat", (value) => Array.isArray(value["choices"]) && MISTRAL_MODELS.test(stringOf(value["model"]))],
  ["openai-chat", (value) => listOf(value["choices"]).length > 0],
  ["openai-chat", (value) => stringOf(value["object"]).startsWith("chat.completion")],
];

/** What speaks for a dialect if nothing better comes: the beginnings of streams, and errors, which look much the same. */
const WEAK_CLUES: readonly Clue[] = [
  ["openai-chat", (value) => Array.isArray(value["choices"])],
  [
    "anthropic-messages",
    (value) => value["type"] === "error" && isRecord(value["error"]) && !("code" in recordOf(value["error"])),
  ],
  ["openai-responses", (value) => value["type"] === "error"],
  ["mistral-chat", (value) => value["object"] === "error"],
  // Google names the kind of error in capitals.
  ["gemini", (value) => /^[A-Z_]+$/u.test(stringOf(recordOf(value["error"])["status"]))],
  ["ollama-chat", (value) => typeof value["error"] === "string" && Object.keys(value).length === 1],
  ["bedrock-converse", (value) => /^[Mm]essage$/u.test(Object.keys(value).join())],
  ["openai-chat", (value) => "error" in value],
];

/** The dialect of a value, told by its shape; undefined if it looks like none. */
export function recogniseFormat(value: unknown, event = ""): WireFormatName | undefined {
  return isRecord(value) ? find(CLUES, value, event) : undefined;
}

/** The dialect that a value speaks for without proving it, such as that of an error. */
export function guessFormat(value: unknown, event = ""): WireFormatName | undefined {
  return isRecord(value) ? find(WEAK_CLUES, value, event) : undefined;
}

function find(clues: readonly Clue[], value: JsonRecord, event: string): WireFormatName | undefined {
  return clues.find(([, holds]) => holds(value, event))?.[0];
}

/** Some servers put the text of a chat's piece beside it as well. */
function isTextChoice(choice: JsonRecord): boolean {
  return typeof choice["text"] === "string" && !("delta" in choice) && !("message" in choice);
}

function typeOf(value: JsonRecord, event: string): string {
  return typeof value["type"] === "string" ? value["type"] : event;
}
