import { MESSAGE_ENTITY_LIMIT, MESSAGE_LIMIT, type FormattedText } from "./formatted-text.ts";
import { joinFormatted } from "./entities.ts";
import { createMarkdownFormatter, formatPlain } from "./format-markdown.ts";
import { formatSources, type SourcesView } from "./format-sources.ts";
import { splitFormatted } from "./split-formatted.ts";
import { formatThinking, THINKING_LIMIT } from "./thinking.ts";

/** What is to be seen of an answer at one moment. */
export interface AnswerView {
  /** All of the thinking so far; may be empty. It is plain text. */
  readonly thinking: string;
  /** The answer so far, in Markdown. */
  readonly text: string;
  /** One short line each, such as the tools that are running; in italics under the text. */
  readonly notes: readonly string[];
  /** How it ended, if that is to be said, such as `[interrupted]`: under the text, on a line of its own. */
  readonly mark: string | undefined;
  /** Where it comes from: at the very end, as links. Under no text there are none. */
  readonly sources?: SourcesView | undefined;
  readonly isRunning: boolean;
  /** Shown when there is nothing else at all, such as `…`. */
  readonly placeholder: string;
}

/**
 * Draws an answer as the messages that show it, first to last. None is empty or too long, and none but the last
 * changes while text is added, unless Markdown that is completed later changes what was written before it.
 */
export function renderAnswer(view: AnswerView): readonly FormattedText[] {
  return createAnswerRenderer()(view);
}

/**
 * Makes a `renderAnswer` for one answer that grows, at the cost of what is new in it. The results are the same,
 * whatever it is called with.
 */
export function createAnswerRenderer(): (view: AnswerView) => readonly FormattedText[] {
  const format = createMarkdownFormatter();
  return (view) => draw(view, format(view.text));
}

function draw(view: AnswerView, body: FormattedText): readonly FormattedText[] {
  // Thinking is thought to be over when text comes. From then on its quote stays as it is, and so does its message.
  const thinking = formatThinking(view.thinking, view.isRunning && view.text.trim() === "" ? "running" : "done");
  // The same room whatever the length of the thinking: if it grows again between two tools, nothing below it moves.
  const first = thinking === undefined ? MESSAGE_LIMIT : MESSAGE_LIMIT - THINKING_LIMIT - 1;
  let pieces = splitFormatted(body, { first });
  const [top, ...rest] = pieces;
  if (thinking !== undefined) pieces = [top === undefined ? thinking : joinFormatted(thinking, "\n", top), ...rest];
  pieces = append(pieces, italic(view.notes.map(toLine).join("\n")));
  pieces = append(pieces, italic(toLine(view.mark ?? "")));
  if (view.sources !== undefined && body.text !== "") pieces = append(pieces, formatSources(view.sources));
  return pieces.length > 0 ? pieces : splitFormatted(formatPlain(view.placeholder));
}

/** What stands under the answer is in its last message if it fits there, else in a new one. */
function append(pieces: readonly FormattedText[], section: FormattedText): readonly FormattedText[] {
  if (section.text === "") return pieces;
  const last = pieces.at(-1);
  if (last === undefined) return splitFormatted(section);
  const joined = joinFormatted(last, "\n\n", section);
  const isFitting = joined.text.length <= MESSAGE_LIMIT && joined.entities.length <= MESSAGE_ENTITY_LIMIT;
  if (!isFitting) return [...pieces, ...splitFormatted(section)];
  return [...pieces.slice(0, -1), joined];
}

function italic(text: string): FormattedText {
  const plain = formatPlain(text);
  if (plain.text === "") return plain;
  return { text: plain.text, entities: [{ type: "italic", offset: 0, length: plain.text.length }] };
}

function toLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}
