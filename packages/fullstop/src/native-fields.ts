import { asksForForeignTool } from "./callable-tools.ts";
import type { RequestWarning } from "./engine.ts";
import type { GenerationRequest, NativeFields } from "./request.ts";

/** Something that may have fields which only one dialect has. */
export interface WithNative {
  readonly native?: NativeFields | undefined;
}

/**
 * Warnings of everything in a request that only another dialect has than the one that is spoken, and that is therefore
 * left out. Without a dialect that is all of it.
 */
export function warningsOfNative(request: GenerationRequest, format?: string): readonly RequestWarning[] {
  const warnings: RequestWarning[] = [];
  const look = ({ native }: WithNative, path: string): void => {
    if (native === undefined || native.format === format) return;
    for (const name of Object.keys(native.fields)) {
      warnings.push({ field: path + name, message: `Only the dialect ${native.format} has this; it was left out.` });
    }
  };
  look(request, "");
  if (asksForForeignTool(request, format)) {
    const message = "Only another dialect has the tool that has to be called; none is called in its place.";
    warnings.push({ field: "toolChoice", message });
  }
  for (const [index, tool] of (request.tools ?? []).entries()) look(tool, `tools[${index}].`);
  for (const [index, message] of request.messages.entries()) {
    look(message, `messages[${index}].`);
    for (const [place, part] of message.content.entries()) {
      if ("native" in part) look(part, `messages[${index}].content[${place}].`);
    }
  }
  return warnings;
}
