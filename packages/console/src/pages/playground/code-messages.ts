import type { ChatMessage, ToolCall } from "./settings.ts";

/*
 * A conversation in the words of other clients. What differs is where tool calls and their results stand.
 */

/** The messages of Anthropic's dialect, in which all results of one answer stand in one message. */
export function anthropicMessages(messages: readonly ChatMessage[]): readonly object[] {
  const written: { readonly role: string; readonly content: string | object[] }[] = [];
  for (const message of messages) {
    const last = written.at(-1);
    if (message.role === "tool") {
      const result = { type: "tool_result", tool_use_id: message.tool_call_id, content: message.content };
      if (last?.role === "user" && typeof last.content !== "string") last.content.push(result);
      else written.push({ role: "user", content: [result] });
    } else if (message.role === "assistant" && message.tool_calls !== undefined) {
      const uses = message.tool_calls.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.function.name,
        input: argumentsOf(call),
      }));
      const text = message.content === "" ? [] : [{ type: "text", text: message.content }];
      written.push({ role: "assistant", content: [...text, ...uses] });
    } else {
      written.push({ role: message.role, content: message.content });
    }
  }
  return written;
}

/** The messages of the `ai` package. */
export function aiMessages(messages: readonly ChatMessage[]): readonly object[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "tool") {
      const { tool_call_id: toolCallId, content } = message;
      const toolName = names.get(toolCallId) ?? "";
      const output = { type: "text", value: content };
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
    }
    if (message.role === "user" || message.tool_calls === undefined) return message;
    const calls = message.tool_calls.map((call) => {
      names.set(call.id, call.function.name);
      return { type: "tool-call", toolCallId: call.id, toolName: call.function.name, input: argumentsOf(call) };
    });
    const text = message.content === "" ? [] : [{ type: "text", text: message.content }];
    return { role: "assistant", content: [...text, ...calls] };
  });
}

function argumentsOf(call: ToolCall): unknown {
  try {
    return JSON.parse(call.function.arguments);
  } catch {
    // A model has written something else. The client says what is wrong with it, as it would to any program.
    return call.function.arguments;
  }
}
