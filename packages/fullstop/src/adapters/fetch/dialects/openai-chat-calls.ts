import { isRecord, jsonTextOf, listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { ChatCallReader, isPlaceholder } from "../../../wire/openai-chat/decode-calls.ts";
import { ToolCalls } from "../../../wire/reading/tool-calls.ts";
import { cutEscaped, editUntilCut, escapedLength } from "./editor.ts";
import type { Allowance } from "./editor.ts";

/** The place of the one call that a message could make before it could make several. */
const ONLY_CALL = "function_call";

/**
 * Cuts the calls of a chat. What of a call is read depends on what came before it: a piece without a name is no call,
 * and the arguments that are text have an opening around them that no piece shows. So they are read here as the decoder
 * reads them, by the same code, and what comes of a piece tells how many characters it counts for.
 */
export class ChatCallCutter {
  #read = "";
  readonly #calls = new ToolCalls(
    {
      push: (event) => {
        if (event.type === "tool-call-delta") this.#read += event.json;
      },
      end: () => undefined,
    },
    "openai-chat",
  );
  readonly #reader = new ChatCallReader(this.#calls);

  /** Reads the calls of a message that has been shown. */
  pass({ tool_calls: calls, function_call: only }: JsonRecord): void {
    for (const [position, call] of listOf(calls).entries()) this.#readCall(recordOf(call), position);
    if (isRecord(only)) this.#readOnly(only);
  }

  /** The calls of a message with as much of their arguments as may be shown. */
  cut({ tool_calls: calls, function_call: only }: JsonRecord, allowance: Allowance): JsonRecord {
    let position = 0;
    const kept = editUntilCut(calls, allowance, (call) => this.#cutCall(call, position++, allowance));
    return { ...(kept.length > 0 && { tool_calls: kept }), ...(isRecord(only) && this.#cutOnly(only, allowance)) };
  }

  #cutCall(call: JsonRecord, position: number, allowance: Allowance): JsonRecord {
    const json = this.#readCall(call, position);
    const shown = allowance.take(json);
    if (!("custom" in call)) return withArguments(call, shown);
    if (shown.length === json.length) return call;
    const custom = recordOf(call["custom"]);
    const input = stringOf(custom["input"]);
    // A call that has begun as one with JSON takes what comes for it as it is.
    if (json === input) return { ...call, custom: { ...custom, input: shown } };
    const opening = json.length - escapedLength(input);
    return { ...call, custom: { ...custom, input: cutEscaped(input, shown.length - opening) } };
  }

  #cutOnly(call: JsonRecord, allowance: Allowance): JsonRecord {
    const json = this.#readOnly(call);
    const shown = allowance.take(json);
    if (shown.length === json.length) return allowance.isCut ? {} : { function_call: call };
    return shown === "" ? {} : { function_call: { ...call, arguments: shown } };
  }

  #readCall(call: JsonRecord, position: number): string {
    this.#read = "";
    this.#reader.read(call, position);
    return this.#read;
  }

  #readOnly({ name, arguments: json }: JsonRecord): string {
    if (!this.#calls.has(ONLY_CALL)) {
      if (stringOf(name) === "") return "";
      this.#calls.start(ONLY_CALL, "", stringOf(name));
    }
    return jsonTextOf(json);
  }
}

/** A call with these arguments. It may have been read with those of pieces before it, or only with a piece behind it. */
function withArguments(call: JsonRecord, json: string): JsonRecord {
  const said = recordOf(call["function"]);
  return jsonTextOf(said["arguments"]) === json ? call : { ...call, function: { ...said, arguments: json } };
}

/** Whether a message holds arguments of a call, read or not. What only fills their place is given up for those. */
export function hasArguments({ tool_calls: calls }: JsonRecord): boolean {
  return listOf(calls).some((call) => !isPlaceholder(jsonTextOf(recordOf(recordOf(call)["function"])["arguments"])));
}
