import { checkFlag, checkNames } from "../check.ts";
import { checkTextInput, checkToolParameters } from "../check-request.ts";
import { invalidArgument } from "../errors.ts";
import type { JsonObject, TextInput, ToolDefinition } from "../request.ts";
import { describeIssue, toJsonSchema } from "./standard-schema.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** What a tool is told beside its input. */
export interface ToolContext {
  readonly callId: string;
  /** Fires when the run is stopped. A tool that does not heed it is abandoned after a short grace. */
  readonly signal: AbortSignal;
}

/** A call that can be carried out, or what is wrong with its arguments. */
export type PreparedCall = { readonly execute: (context: ToolContext) => unknown } | { readonly problem: string };

/** A function that the model may ask for. */
export interface AgentTool {
  readonly definition: ToolDefinition;
  /** Checks the arguments of a call. */
  prepare(input: unknown): Promise<PreparedCall>;
}

interface FunctionDescription {
  readonly name: string;
  readonly description?: string | undefined;
  readonly textInput?: undefined;
  /** JSON Schema of the arguments, as it is shown to the model. */
  readonly parameters?: JsonObject | undefined;
  readonly strict?: boolean | undefined;
}

/** A tool whose arguments are passed on as they come. */
export interface PlainToolOptions extends FunctionDescription {
  readonly input?: undefined;
  /**
   * Does the work. What it returns is what the model sees: a string as it is, an object with a list `content` of text
   * and image parts as those, anything else as JSON. What it throws is told to the model as an error, and so are bytes
   * and what else has no JSON, such as a `Map` or a `Response`.
   */
  readonly execute: (input: unknown, context: ToolContext) => unknown;
}

/** A tool whose arguments are checked, and typed, by a schema. */
export interface SchemaToolOptions<Input> extends FunctionDescription {
  /** Any schema that follows Standard Schema, such as those of zod, valibot and arktype. */
  readonly input: StandardSchema<Input>;
  /** Does the work, as for a tool without a schema. */
  readonly execute: (input: Input, context: ToolContext) => unknown;
}

/** A tool that takes plain text in place of arguments, such as a patch. */
export interface TextToolOptions {
  readonly name: string;
  readonly description?: string | undefined;
  /** `{}` for any text, or a grammar that it has to follow. Only OpenAI holds its models to one. */
  readonly textInput: TextInput;
  /** Does the work, as for a tool with arguments. */
  readonly execute: (text: string, context: ToolContext) => unknown;
}

/** Describes a tool. Where a library cannot tell the JSON Schema of its schema, give it as `parameters`. */
export function defineTool<Input>(options: SchemaToolOptions<Input>): AgentTool;
export function defineTool(options: PlainToolOptions): AgentTool;
export function defineTool(options: TextToolOptions): AgentTool;
export function defineTool<Input>(options: PlainToolOptions | SchemaToolOptions<Input> | TextToolOptions): AgentTool {
  checkNames("tool options", options, options?.textInput === undefined ? NAMES : TEXT_NAMES);
  const { name, description } = options;
  if (typeof name !== "string" || name === "") throw invalidArgument("tool name", "must be a string", name);
  if (typeof options.execute !== "function") {
    throw invalidArgument(`tool ${name} execute`, "must be a function", options.execute);
  }
  if (description !== undefined && typeof description !== "string") {
    throw invalidArgument(`tool ${name} description`, "must be a string", description);
  }
  return options.textInput === undefined ? defineFunction(options) : defineTextTool(options);
}

const NAMES: Readonly<Record<keyof SchemaToolOptions<unknown>, true>> = {
  name: true,
  description: true,
  textInput: true,
  parameters: true,
  strict: true,
  input: true,
  execute: true,
};

const TEXT_NAMES: Readonly<Record<keyof TextToolOptions, true>> = {
  name: true,
  description: true,
  textInput: true,
  execute: true,
};

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };

function defineFunction<Input>(options: PlainToolOptions | SchemaToolOptions<Input>): AgentTool {
  const { name, description, strict } = options;
  checkToolParameters(`tool ${name}`, options.parameters);
  checkFlag(`tool ${name} strict`, strict);
  if (options.input !== undefined && typeof options.input?.["~standard"]?.validate !== "function") {
    throw invalidArgument(`tool ${name} input`, "must be a schema that follows Standard Schema", options.input);
  }
  return {
    definition: {
      name,
      ...(description !== undefined && { description }),
      parameters:
        options.parameters ?? (options.input === undefined ? NO_ARGUMENTS : toJsonSchema(options.input, name)),
      ...(strict !== undefined && { strict }),
    },
    prepare: options.input === undefined ? preparePlain(options) : prepareChecked(options),
  };
}

function defineTextTool(options: TextToolOptions): AgentTool {
  const { name, description, textInput, execute } = options;
  checkTextInput(`tool ${name} textInput`, textInput);
  return {
    definition: { name, ...(description !== undefined && { description }), textInput },
    prepare(given) {
      const text = typeof given === "object" && given !== null && "input" in given ? given.input : undefined;
      if (typeof text !== "string") return Promise.resolve({ problem: "input must be the text, a string" });
      return Promise.resolve({ execute: (context) => execute(text, context) });
    },
  };
}

function preparePlain({ execute }: PlainToolOptions): AgentTool["prepare"] {
  return (input) => Promise.resolve({ execute: (context) => execute(input, context) });
}

function prepareChecked<Input>({ input: schema, execute }: SchemaToolOptions<Input>): AgentTool["prepare"] {
  return async (input) => {
    const result = await schema["~standard"].validate(input);
    if (result.issues !== undefined) return { problem: result.issues.map(describeIssue).join("; ") };
    const { value } = result;
    return { execute: (context) => execute(value, context) };
  };
}
