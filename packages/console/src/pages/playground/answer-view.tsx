import { useMemo, useState } from "preact/hooks";
import type { Answer, AnswerPhase } from "../../answer/fold.ts";
import { marksOf } from "../../answer/marks.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { EndingBadge } from "../../components/ending-badge.tsx";
import { CallCard, Held, TextBlocks, Thinking } from "../../components/part-view.tsx";
import { SourceLinks } from "../../components/sources.tsx";
import { describeUsage } from "../../components/timeline.tsx";
import { Note } from "../../components/note.tsx";
import { wordsOf } from "../../components/reasons.ts";
import { showStopString } from "../../components/stop-string.ts";
import type { Prompt, Turn } from "./turn.ts";

/** A question with its answer, as far as it has come. */
export function TurnView({ turn }: { readonly turn: Turn }) {
  const { prompt, answer, state } = turn;
  return (
    <article class="turn">
      <PromptView prompt={prompt} />
      <AnswerView answer={answer} isRunning={state.type === "asking" || state.type === "following"} />
      {state.type === "following" && !state.isConnected && (
        <Note kind="loading">{turn.order === "stop" ? AWAY_WITH_A_STOP : AWAY}</Note>
      )}
      {state.type === "failed" && <Note kind="error">{state.message}</Note>}
    </article>
  );
}

const AWAY = "The gateway is away. Trying to go on where it stopped…";
const AWAY_WITH_A_STOP = "The gateway is away. It is told to stop as soon as it is back…";

function PromptView({ prompt }: { readonly prompt: Prompt }) {
  if (prompt.type === "text") return <PromptText text={prompt.text} />;
  return (
    <div class="prompt">
      <span class="quiet">Result of the tool</span>
      {prompt.results.map(({ callId, content }) => (
        <code key={callId}>{content}</code>
      ))}
    </div>
  );
}

/** Whoever has pasted a book wants to see the answer, not the book. */
function PromptText({ text }: { readonly text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > LONG_PROMPT;
  return (
    <div class="prompt" dir="auto">
      {isLong && !isWhole ? `${beginningOf(text)}…` : text}
      {isLong && (
        <button type="button" class="small" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </div>
  );
}

const LONG_PROMPT = 800;

function beginningOf(text: string): string {
  // Half a character would be shown as a box.
  return text.slice(0, LONG_PROMPT).replace(/[\uD800-\uDBFF]$/, "");
}

function AnswerView({ answer, isRunning }: { readonly answer: Answer; readonly isRunning: boolean }) {
  const { parts, sources, phase, signal, usage, held } = answer;
  const marks = useMemo(() => marksOf(sources), [sources]);
  return (
    <div class="answer">
      {parts.map((part, index) => {
        const isLast = index === parts.length - 1;
        const isGoingOn = isRunning && isLast;
        if (part.type === "reasoning")
          return <Thinking key={index} part={part} isGoingOn={isGoingOn && part.isSkipped !== true} />;
        if (part.type === "tool-call") return <CallCard key={index} part={part} isGoingOn={isGoingOn} />;
        return (
          <div key={index} class={isGoingOn ? "answer-text is-going-on" : "answer-text"}>
            <TextBlocks part={part} marks={marks} held={isLast ? held : ""} />
          </div>
        );
      })}
      {phase === "waiting" && isRunning && <p class="quiet pulse">{PHASE_WORDS[phase]}…</p>}
      {held !== "" && parts.at(-1)?.type !== "text" && <Held text={held} />}
      {signal?.stopSequence !== undefined && signal.reason === "stop_sequence" && (
        <Removed text={showStopString(signal.stopSequence)} />
      )}
      {sources.length > 0 && (
        <section class="sources" aria-label="Sources">
          <p class="quiet">Sources</p>
          <SourceLinks sources={sources} />
        </section>
      )}
      {signal?.message !== undefined && wordsOf(signal.reason).tone === "bad" && (
        <p class="failure">{signal.message}</p>
      )}
      {signal !== undefined && (
        <footer class="answer-end">
          <EndingBadge signal={signal} />
          <div class="row">
            {usage !== undefined && <span class="quiet">{describeUsage(usage)}</span>}
            {parts.some(({ type }) => type === "text") && <CopyButton text={() => answer.text} what="the answer" />}
          </div>
        </footer>
      )}
    </div>
  );
}

/** What a match has taken away, for those who want to see it. */
function Removed({ text }: { readonly text: string }) {
  return (
    <details class="removed">
      <summary>Show what the stop string removed</summary>
      <del>{text}</del>
    </details>
  );
}

/** What a model is doing, in words. */
export const PHASE_WORDS: Readonly<Record<AnswerPhase, string>> = {
  waiting: "Waiting",
  thinking: "Thinking",
  answering: "Answering",
  calling: "Calling a tool",
  ended: "Ended",
};
