import type { AgentEvent, AgentResult } from "fullstop/agent";
import { SourceList } from "fullstop/control";
import type { Source } from "fullstop/control";
import type { Paint } from "../colours.ts";
import { toPrintable, toPrintableLines } from "../printable.ts";
import { listSources } from "../sources.ts";

/** What of an answer is shown: its text only, or thinking and the ending as well. */
export type Detail = "text" | "everything";

/** Turns the events of a run into what a terminal shows. Every method gives the text to write next. */
export class AnswerView {
  readonly #detail: Detail;
  readonly #paint: Paint;
  /** What was written last. */
  #last: "nothing" | "thinking" | "text" = "nothing";
  #text = "";
  readonly #list = new SourceList();

  constructor(detail: Detail, paint: Paint) {
    this.#detail = detail;
    this.#paint = paint;
  }

  /** The sources of what was shown. */
  get sources(): readonly Source[] {
    return this.#list.sources;
  }

  show(event: AgentEvent): string {
    if (event.type === "rewind") return this.#rewind(event.keep);
    if (event.type === "turn-start" && event.isNewAnswer) {
      this.#text = "";
      this.#list.startAnswer();
      return this.#last === "text" ? this.#moveTo("nothing") : "";
    }
    if (event.type !== "generation") return "";
    const piece = event.event;
    this.#list.add(piece);
    if (piece.type === "text") return this.#moveTo("text") + this.#add(piece.text);
    if (piece.type !== "reasoning" || this.#detail === "text") return "";
    if (piece.text === "") return "";
    return this.#moveTo("thinking") + this.#paint("dim", toPrintableLines(piece.text));
  }

  /** What follows the last piece: a mark if the answer is not whole, its sources, and a line about it. */
  end(result: AgentResult): string {
    const mark = result.end === "stopped" ? this.#paint("yellow", " [interrupted]") : "";
    const sources = listSources(this.sources);
    if (this.#detail === "text") return `${mark}\n${sources}`;
    const lineBreak = this.#last === "nothing" && mark === "" ? "" : "\n";
    return `${mark}${lineBreak}${sources}${this.#paint("dim", statusOf(result))}\n`;
  }

  #add(text: string): string {
    this.#text += text;
    return toPrintableLines(text);
  }

  #moveTo(what: "nothing" | "thinking" | "text"): string {
    const before = this.#last;
    this.#last = what;
    if (before === what) return "";
    const lineBreak = before === "nothing" ? "" : "\n";
    return what === "thinking" ? `${lineBreak}${this.#paint("dim", "thinking: ")}` : lineBreak;
  }

  /** Text on a terminal cannot be taken back, so what stays of it is written again. */
  #rewind(keep: number): string {
    this.#list.rewind(keep);
    if (keep >= this.#text.length) return "";
    this.#text = this.#text.slice(0, keep);
    return `\n${this.#paint("dim", "[corrected]")}\n${toPrintableLines(this.#text)}`;
  }
}

/** How an answer has ended and what it took, on one line. */
function statusOf({ end, usage, milliseconds, signals }: AgentResult): string {
  const { inputTokens, outputTokens, estimated } = usage;
  const tokens = `${inputTokens} tokens in, ${outputTokens} out${estimated === true ? " (estimated)" : ""}`;
  const signal = signals.at(-1);
  const ending = signal === undefined ? end : (signal.message ?? signal.reason);
  return `[${toPrintable(ending)} · ${tokens} · ${(milliseconds / 1000).toFixed(1)} s]`;
}
