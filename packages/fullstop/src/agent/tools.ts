import { checkFlag, checkNames } from "../check.ts";
import { checkToolParameters } from "../check-request.ts";
import { invalidArgument } from "../errors.ts";
import type { JsonObject, ToolDefinition } from "../request.ts";
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

interface ToolDescription {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments, as it is shown to the model. */
  readonly parameters?: JsonObject | undefined;
  readonly strict?: boolean | undefined;
}

/** A tool whose arguments are passed on as they come. */
export interface PlainToolOptions extends ToolDescription {
  readonly input?: undefined;
  /**
   * Does the work. What it returns is what the model sees: a string as it is, an object with a list `content` of text
   * and image parts as those, anything else as JSON. What it throws is told to the model as an error, and so are bytes
   * and what else has no JSON, such as a `Map` or a `Response`.
   */
  readonly execute: (input: unknown, context: ToolContext) => unknown;
}

/** A tool whose arguments are checked, and typed, by a schema. */
export interface SchemaToolOptions<Input> extends ToolDescription {
  /** Any schema that follows Standard Schema, such as those of zod, valibot and arktype. */
  readonly input: StandardSchema<Input>;
  /** Does the work, as for a tool without a schema. */
  readonly execute: (input: Input, context: ToolContext) => unknown;
}

/** Describes a tool. Where a library cannot tell the JSON Schema of its schema, give it as `parameters`. */
export function defineTool<Input>(options: SchemaToolOptions<Input>): AgentTool;
export function defineTool(options: PlainToolOptions): AgentTool;
export function defineTool<Input>(options: PlainToolOptions | SchemaToolOptions<Input>): AgentTool {
  checkNames("tool options", options, NAMES);
  const { name, description, strict } = options;
  if (typeof name !== "string" || name === "") throw invalidArgument("tool name", "must be a string", name);
  if (typeof options.execute !== "function") {
    throw invalidArgument(`tool ${name} execute`, "must be a function", options.execute);
  }
  checkToolParameters(`tool ${name}`, options.parameters);
  checkFlag(`tool ${name} strict`, strict);
  if (description !== undefined && typeof description !== "string") {
    throw invalidArgument(`tool ${name} description`, "must be a string", description);
  }
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

const NAMES: Readonly<Record<keyof SchemaToolOptions<unknown>, true>> = {
  name: true,
  description: true,
  parameters: true,
  strict: true,
  input: true,
  execute: true,
};

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };

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
