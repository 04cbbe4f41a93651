import { Fragment } from "preact";
import { textOf } from "../answer/fold.ts";
import type { CallPart, TextPart } from "../answer/fold.ts";
import { cutAtMarks } from "../answer/marks.ts";
import type { Mark } from "../answer/marks.ts";

/*
 * What models write reaches the page as text nodes only. Nothing here makes elements, links or attributes of it.
 */

/** What {@link TextBlocks} shows. */
interface TextBlocksProps {
  readonly part: TextPart;
  /** The numbers of sources that stand in the text. */
  readonly marks?: readonly Mark[];
  /** What is held back at the end: it could become a stop string. */
  readonly held?: string;
}

/** Text in blocks, so that a browser has to lay out only the last one again when more comes. */
export function TextBlocks({ part: { blocks, start }, marks = [], held = "" }: TextBlocksProps) {
  let end = start;
  return (
    <>
      {blocks.map((block, index) => {
        end += block.length;
        return (
          <div class="block" key={index}>
            {marks.length === 0 ? block : <MarkedText text={block} start={end - block.length} marks={marks} />}
            {held !== "" && index === blocks.length - 1 && <Held text={held} />}
          </div>
        );
      })}
    </>
  );
}

/** What {@link MarkedText} shows. */
interface MarkedTextProps {
  readonly text: string;
  readonly start: number;
  readonly marks: readonly Mark[];
}

/** Text with the numbers of its sources in it, which are not copied along when somebody copies the text. */
function MarkedText({ text, start, marks }: MarkedTextProps) {
  return (
    <>
      {cutAtMarks(text, start, marks).map((piece) => (
        <Fragment key={piece.mark?.place}>
          {piece.text}
          {piece.mark !== undefined && <sup class="source-mark">{piece.mark.label}</sup>}
        </Fragment>
      ))}
    </>
  );
}

/** Text that is held back, faint, because nobody knows yet whether it belongs to the answer. */
export function Held({ text }: { readonly text: string }) {
  return (
    <span class="held" title="Held back: it could become a stop string">
      {text}
    </span>
  );
}

/** Thinking, put away unless somebody wants to see it. */
export function Thinking({ part, isGoingOn }: { readonly part: TextPart; readonly isGoingOn: boolean }) {
  const { length } = textOf(part);
  const skipped = part.isSkipped === true ? ", skipped" : "";
  return (
    <details class={isGoingOn ? "thinking is-going-on" : "thinking"}>
      <summary>
        {isGoingOn ? "Thinking…" : "Thought"} <span class="quiet">{`${length} characters${skipped}`}</span>
      </summary>
      <div class="thinking-text">
        <TextBlocks part={part} />
      </div>
    </details>
  );
}

/** A tool call as a card: what is called, with what, and whether all of it has come. */
export function CallCard({ part, isGoingOn }: { readonly part: CallPart; readonly isGoingOn: boolean }) {
  const state = part.isComplete ? "complete" : isGoingOn ? "being written" : "cut off, not to be run";
  return (
    <section class="call" aria-label={`Call of ${part.name}`}>
      <header>
        <span class="call-name">{part.name}</span>
        <span class="quiet">{state}</span>
      </header>
      <pre>{indent(part.json)}</pre>
    </section>
  );
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
