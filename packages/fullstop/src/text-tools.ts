import type { RequestWarning } from "./engine.ts";
import type { GenerationEvent } from "./events.ts";
import type { GenerationRequest, TextInput, ToolDefinition } from "./request.ts";
import type { Stage } from "./stage.ts";

/** The names of the tools of a request that take plain text. */
export function textToolsOf({ tools = [] }: Pick<GenerationRequest, "tools">): ReadonlySet<string> {
  return new Set(tools.flatMap(({ name, textInput }) => (textInput === undefined ? [] : [name])));
}

/** A tool as a function, for models that know no others: one that takes text has it as its only parameter. */
export function asFunction(tool: ToolDefinition): ToolDefinition {
  const { textInput, ...others } = tool;
  if (textInput === undefined) return tool;
  const input = { type: "string", description: describe(textInput) };
  const parameters = { type: "object", properties: { input }, required: ["input"], additionalProperties: false };
  return { ...others, parameters };
}

/** Warnings of what is lost of such tools where they are functions. */
export function warningsOfText({ tools = [] }: Pick<GenerationRequest, "tools">): readonly RequestWarning[] {
  return tools.flatMap(({ textInput }, index): readonly RequestWarning[] => {
    if (textInput?.grammar === undefined) return [];
    const message = "Nobody holds the model to a grammar here; it was put into the description.";
    return [{ field: `tools[${index}].textInput.grammar`, message }];
  });
}

/**
 * Marks the calls of these tools, which nothing in an answer tells from those of functions. A call that says in which
 * group its tool is comes from a provider that was sent the group as it is: there a name may stand for another tool.
 */
export function markTextCalls(names: ReadonlySet<string>): Stage<GenerationEvent, GenerationEvent> {
  return (next) => ({
    push(event) {
      const isOfText = event.type === "tool-call-start" && event.native === undefined && names.has(event.name);
      next.push(isOfText ? { ...event, isText: true } : event);
    },
    end() {
      next.end();
    },
  });
}

function describe({ grammar }: TextInput): string {
  const what = "The whole input of the tool, as plain text.";
  return grammar === undefined
    ? what
    : `${what} It has to follow this grammar (${grammar.syntax}):\n${grammar.definition}`;
}
