import type { Usage } from "fullstop";
import { useMemo } from "preact/hooks";
import { textOf } from "../answer/fold.ts";
import type { Answer, AnswerPart } from "../answer/fold.ts";
import { marksOf } from "../answer/marks.ts";
import type { Mark } from "../answer/marks.ts";
import { EndingFacts, ReasonMark } from "./ending-badge.tsx";
import { TextBlocks } from "./part-view.tsx";
import { SourceLinks } from "./sources.tsx";

/** An answer from its start to its end: what it said in order, what it quotes, what it cost, and how it ended. */
export function Timeline({ answer }: { readonly answer: Answer }) {
  const { model, parts, sources, usage, signal } = answer;
  const marks = useMemo(() => marksOf(sources), [sources]);
  return (
    <ol class="timeline">
      <li>
        <h3>Start</h3>
        <p class="quiet">{model === "" ? "The model was not named." : model}</p>
      </li>
      {parts.map((part, index) => (
        <li key={index}>
          <PartEntry part={part} marks={part.type === "text" ? marks : []} />
        </li>
      ))}
      {sources.length > 0 && (
        <li>
          <h3>Sources</h3>
          <SourceLinks sources={sources} />
        </li>
      )}
      {usage !== undefined && (
        <li>
          <h3>Tokens</h3>
          <p>{describeUsage(usage)}</p>
        </li>
      )}
      <li>
        <h3>End</h3>
        {signal === undefined ? (
          <p class="quiet">It has not ended.</p>
        ) : (
          <>
            <ReasonMark reason={signal.reason} />
            {signal.message !== undefined && <p>{signal.message}</p>}
            <EndingFacts signal={signal} />
          </>
        )}
      </li>
    </ol>
  );
}

function PartEntry({ part, marks }: { readonly part: AnswerPart; readonly marks: readonly Mark[] }) {
  if (part.type === "tool-call") {
    return (
      <>
        <h3>
          Call of {part.name} {!part.isComplete && <span class="mark mark-bad">cut</span>}
        </h3>
        <pre>{part.json}</pre>
      </>
    );
  }
  return (
    <>
      <h3>
        {part.type === "text" ? "Text" : "Thinking"} <span class="quiet">{textOf(part).length} characters</span>
      </h3>
      <div class="timeline-text">
        <TextBlocks part={part} marks={marks} />
      </div>
    </>
  );
}

/** Token counts in words. */
export function describeUsage({ inputTokens, outputTokens, reasoningTokens, estimated }: Usage): string {
  const thinking = reasoningTokens === undefined || reasoningTokens === 0 ? "" : ` (${reasoningTokens} of thinking)`;
  return `${inputTokens} tokens in, ${outputTokens} out${thinking}${estimated === true ? ", estimated" : ""}`;
}
