import type { Usage } from "../../events.ts";
import type { Answer } from "../reading/answer.ts";
import { toCitation } from "../reading/citation.ts";
import type { Citation } from "../reading/citation.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { QuotedBlock } from "../reading/quoted-block.ts";
import { failureSignal, readFailure } from "../reading/failure.ts";
import { countOf, isRecord, jsonTextOf, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage, sumOf } from "../reading/usage.ts";

/** Opens a reader for an answer of Bedrock's Converse or ConverseStream. */
export function openConverseReader(answer: Answer): AnswerReader {
  return new ConverseReader(answer);
}

class ConverseReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #quoted: QuotedBlock;

  constructor(answer: Answer) {
    this.#answer = answer;
    this.#quoted = new QuotedBlock(answer, readCitation);
    answer.beforeEnd(() => this.#quoted.end());
  }

  read(value: JsonRecord, event: string): void {
    // Clients that have taken the frames apart hand each event on as an object with its name as the only field.
    const [name = ""] = Object.keys(value);
    if (event === "" && isRecord(value[name]) && Object.keys(value).length === 1) this.#readEvent(value[name], name);
    else if (event === "") this.#readWhole(value);
    else this.#readEvent(value, event);
  }

  #readEvent(value: JsonRecord, event: string): void {
    const answer = this.#answer;
    const index = typeof value["contentBlockIndex"] === "number" ? value["contentBlockIndex"] : 0;
    switch (event) {
      case "messageStart":
        answer.start("", "");
        break;
      case "contentBlockStart": {
        const { toolUse } = recordOf(value["start"]);
        if (isRecord(toolUse)) this.#startCall(toolUse, index);
        break;
      }
      case "contentBlockDelta":
        this.#readBlock(recordOf(value["delta"]), index);
        break;
      case "contentBlockStop":
        this.#quoted.end();
        answer.calls.finish(index);
        break;
      case "messageStop":
        this.#readStop(value);
        break;
      case "metadata":
        if (isRecord(value["usage"])) answer.usage(readUsage(value["usage"]));
        break;
      default:
        if (event.endsWith("Exception")) answer.fail(failureSignal(readFailure({ ...value, type: event })));
        break;
    }
  }

  #readWhole(value: JsonRecord): void {
    const { message } = recordOf(value["output"]);
    if (!isRecord(message)) return;
    this.#answer.document();
    this.#answer.start("", "");
    for (const [index, block] of listOf(message["content"]).entries()) {
      const { toolUse } = recordOf(block);
      if (isRecord(toolUse)) this.#startCall(toolUse, index);
      this.#readBlock(recordOf(block), index);
      this.#answer.calls.finish(index);
    }
    if (isRecord(value["usage"])) this.#answer.usage(readUsage(value["usage"]));
    this.#readStop(value);
  }

  /** Tools that the provider runs itself are not calls for the caller. */
  #startCall(toolUse: JsonRecord, index: number): void {
    if (toolUse["type"] === "server_tool_use") this.#answer.opaque({ toolUse });
    else this.#answer.calls.start(index, stringOf(toolUse["toolUseId"]), stringOf(toolUse["name"]));
  }

  /** A block of a whole answer or a piece of one; they hold the same fields. */
  #readBlock({ text, citation, citationsContent, toolUse, reasoningContent }: JsonRecord, index: number): void {
    const answer = this.#answer;
    answer.text(stringOf(text));
    this.#quoted.add(citation);
    if (isRecord(citationsContent)) this.#readQuotedText(citationsContent);
    if (isRecord(toolUse)) answer.calls.add(index, jsonTextOf(toolUse["input"]));
    if (!isRecord(reasoningContent)) return;
    const reasoning = recordOf(reasoningContent["reasoningText"] ?? reasoningContent);
    answer.reasoning(stringOf(reasoning["text"]));
    answer.signature(reasoning["signature"]);
    answer.redactedReasoning(reasoningContent["redactedContent"]);
  }

  /** Text with its citations, which in a whole answer is another kind of block. */
  #readQuotedText({ content, citations }: JsonRecord): void {
    this.#quoted.begin(listOf(citations));
    for (const piece of listOf(content)) this.#answer.text(stringOf(recordOf(piece)["text"]));
    this.#quoted.end();
  }

  #readStop(value: JsonRecord): void {
    const extra = recordOf(value["additionalModelResponseFields"]);
    const matched = recordOf(extra["delta"])["stop_sequence"] ?? extra["stop_sequence"];
    this.#answer.finish("stopReason", value["stopReason"], matched);
    // Counts come after it.
    this.#answer.mark();
  }
}

function readUsage(usage: JsonRecord): Usage | undefined {
  const cached = countOf(usage["cacheReadInputTokens"]);
  const written = countOf(usage["cacheWriteInputTokens"]);
  return createUsage({
    inputTokens: sumOf(countOf(usage["inputTokens"]), cached, written),
    outputTokens: countOf(usage["outputTokens"]),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
  });
}

function readCitation(citation: JsonRecord, start: number, end: number): Citation {
  const { title, sourceContent, location } = citation;
  const { url } = recordOf(recordOf(location)["web"]);
  const quote = listOf(sourceContent)
    .map((piece) => stringOf(recordOf(piece)["text"]))
    .join("");
  return toCitation(citation, { url, title, quote, start, end });
}
