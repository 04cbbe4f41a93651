import type { Answer, AnswerPhase } from "../../answer/fold.ts";
import { EndingBadge } from "../../components/ending-badge.tsx";
import { CallCard, Held, TextBlocks, Thinking } from "../../components/part-view.tsx";
import { describeUsage } from "../../components/timeline.tsx";
import { Note } from "../../components/note.tsx";
import type { Prompt, Turn } from "./turn.ts";

/** A question with its answer, as far as it has come. */
export function TurnView({ turn }: { readonly turn: Turn }) {
  const { prompt, answer, state } = turn;
  return (
    <article class="turn">
      <PromptView prompt={prompt} />
      <AnswerView answer={answer} isRunning={state.type === "asking" || state.type === "following"} />
      {state.type === "following" && !state.isConnected && (
        <Note kind="loading">The gateway is away. Trying to go on where it stopped…</Note>
      )}
      {state.type === "failed" && <Note kind="error">{state.message}</Note>}
    </article>
  );
}

function PromptView({ prompt }: { readonly prompt: Prompt }) {
  if (prompt.type === "text") return <div class="prompt">{prompt.text}</div>;
  return (
    <div class="prompt">
      <span class="quiet">Result of the tool</span>
      {prompt.results.map(({ callId, content }) => (
        <code key={callId}>{content}</code>
      ))}
    </div>
  );
}

function AnswerView({ answer, isRunning }: { readonly answer: Answer; readonly isRunning: boolean }) {
  const { parts, phase, signal, usage, held } = answer;
  return (
    <div class="answer">
      {parts.length === 0 && isRunning && <p class="quiet pulse">{PHASE_WORDS[phase]}…</p>}
      {parts.map((part, index) => {
        const isLast = index === parts.length - 1;
        const isGoingOn = isRunning && isLast;
        if (part.type === "reasoning") return <Thinking key={index} part={part} isGoingOn={isGoingOn} />;
        if (part.type === "tool-call") return <CallCard key={index} part={part} isGoingOn={isGoingOn} />;
        return (
          <div key={index} class={isGoingOn ? "answer-text is-going-on" : "answer-text"}>
            <TextBlocks blocks={part.blocks} held={isLast ? held : ""} />
          </div>
        );
      })}
      {held !== "" && parts.at(-1)?.type !== "text" && <Held text={held} />}
      {signal?.stopSequence !== undefined && signal.reason === "stop_sequence" && (
        <Removed text={signal.stopSequence} />
      )}
      {signal !== undefined && (
        <footer class="answer-end">
          <EndingBadge signal={signal} />
          {usage !== undefined && <span class="quiet">{describeUsage(usage)}</span>}
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
