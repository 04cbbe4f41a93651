/** A JSON object that is passed through as it stands, such as a JSON Schema. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What only one dialect has a word for, such as where its provider is to cache. Other dialects leave it out. */
export interface NativeFields {
  /** The dialect whose fields they are. */
  readonly format: string;
  /** The fields as they stand in its requests, beside those that every dialect has. */
  readonly fields: JsonObject;
}

/** A piece of plain text. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly native?: NativeFields | undefined;
}

/** Where an image is: at an address, in the request itself as base64, or in the provider's own file store. */
export type ImageSource =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "data"; readonly mediaType: string; readonly data: string }
  | { readonly type: "file"; readonly id: string };

/** An image, by reference. */
export interface ImagePart {
  readonly type: "image";
  readonly source: ImageSource;
  /** The media type of an image at an address, where it is known; some dialects ask for it. */
  readonly mediaType?: string | undefined;
  /** How closely the model should look: `low`, `high`, `auto`, or a provider's own word. */
  readonly detail?: string | undefined;
  readonly native?: NativeFields | undefined;
}

/** Thinking of an earlier turn. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  /** The provider's proof that the thinking is its own; without it most providers refuse to take it back. */
  readonly signature?: string | undefined;
  /** The dialect of the provider whose proof it is. Other dialects leave the signature out. */
  readonly signedBy?: string | undefined;
  /** True when the provider shows nothing of this thinking but its signature. */
  readonly redacted?: boolean | undefined;
}

/** A tool call of an earlier turn. */
export interface ToolCallPart {
  readonly type: "tool-call";
  readonly callId: string;
  readonly name: string;
  /** The arguments as the JSON text the model wrote. */
  readonly json: string;
  /** True when the tool takes plain text. Its arguments are JSON all the same: an object with the text as `input`. */
  readonly isText?: boolean | undefined;
  readonly signature?: string | undefined;
  readonly signedBy?: string | undefined;
  readonly native?: NativeFields | undefined;
}

/**
 * A part that only one dialect has: what a provider has done in an earlier turn, or a document that it can read. Other
 * dialects leave it out.
 */
export interface OpaquePart {
  readonly type: "opaque";
  /** The dialect that the value is written in. */
  readonly format: string;
  readonly value: unknown;
}

/** Instructions that stand above the conversation. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: readonly TextPart[];
  /** With the dialect `anthropic-messages` it stays where it stands there, also without any fields. */
  readonly native?: NativeFields | undefined;
}

/** What the user says and shows. */
export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart | OpaquePart)[];
  readonly native?: NativeFields | undefined;
}

/** What the model has answered before. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextPart | ReasoningPart | ToolCallPart | OpaquePart)[];
  /** True when the answer was broken off. For whoever keeps the conversation; providers are not told. */
  readonly isPartial?: boolean | undefined;
  readonly native?: NativeFields | undefined;
}

/** The result of one tool call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  /** The tool's name, which some dialects want beside the call's id. */
  readonly name?: string | undefined;
  readonly content: readonly (TextPart | ImagePart | OpaquePart)[];
  readonly isError?: boolean | undefined;
  readonly native?: NativeFields | undefined;
}

/** One message of a conversation. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The rules of a language that a text has to be in. */
export interface Grammar {
  /** How they are written: `lark`, `regex`, or a provider's own word. */
  readonly syntax: string;
  readonly definition: string;
}

/** The input of a tool that takes plain text, such as a patch, which as JSON would be all escapes. */
export interface TextInput {
  /** What the text has to look like. Providers that do not know such tools are told in words. */
  readonly grammar?: Grammar | undefined;
}

/** A tool the model may ask for: a function, unless it takes plain text. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly parameters?: JsonObject | undefined;
  /**
   * Says that the tool takes plain text in place of arguments. Wherever JSON is meant, such as in the events of a call,
   * the text is the field `input` of an object. To providers without such tools it is a function with that parameter.
   */
  readonly textInput?: TextInput | undefined;
  /** Whether the provider has to hold the model to the schema. */
  readonly strict?: boolean | undefined;
  readonly native?: NativeFields | undefined;
}

/** Whether and which tool the model has to call. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string } | AllowedTools;

/** A choice among some of the tools: the model may know the others, and must not call them. */
export interface AllowedTools {
  /** The names of the tools that may be called. */
  readonly allowed: readonly string[];
  /** Whether one of them has to be called. */
  readonly mode: "auto" | "required";
}

/** How much the model should think before it answers. */
export interface ReasoningSettings {
  /** `none`, `minimal`, `low`, `medium`, `high`, `max`, or a provider's own word. */
  readonly effort?: string | undefined;
  /** The most tokens it may think for; 0 asks for no thinking. */
  readonly budgetTokens?: number | undefined;
  /** Whether the answer should show its thinking, or a summary of it. */
  readonly show?: boolean | undefined;
  /**
   * True when the effort is for the answer as a whole and thinking was not asked for. A dialect that tells the two apart
   * then leaves it to the provider whether the model thinks; for all others it is an effort as any.
   */
  readonly effortOnly?: boolean | undefined;
}

/** How the next token is chosen. */
export interface SamplingSettings {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
}

/** What the visible answer has to look like. */
export type OutputShape =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | {
      readonly type: "json-schema";
      readonly schema: JsonObject;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly strict?: boolean | undefined;
    };

/** What a model is asked to do, in no provider's words. */
export interface GenerationRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream?: boolean | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  readonly reasoning?: ReasoningSettings | undefined;
  /** Stop strings. */
  readonly stop?: readonly string[] | undefined;
  /** The most tokens to generate, thinking included. */
  readonly maxOutputTokens?: number | undefined;
  readonly sampling?: SamplingSettings | undefined;
  readonly output?: OutputShape | undefined;
  /** The caller's own labels, which the provider stores and does not read. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Whether the provider may keep the conversation. */
  readonly store?: boolean | undefined;
  /** Whether a stream has to end with token counts, in dialects where that has to be asked for. */
  readonly streamUsage?: boolean | undefined;
  /** An opaque name of the person the request is made for. */
  readonly user?: string | undefined;
  /**
   * The provider's own settings and, as `tools`, those of its tools that it runs itself. They follow the functions,
   * unless there is a null in the list for each function's place.
   */
  readonly native?: NativeFields | undefined;
}
