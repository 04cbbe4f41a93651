import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { describeError } from "../../api/http.ts";
import { Note } from "../../components/note.tsx";
import { wordsOf } from "../../components/reasons.ts";
import { isPartOfWriting } from "../../state/composition.ts";
import { models, loadModels } from "../../state/models.ts";
import { useValue, useWatch } from "../../state/observable.ts";
import { PHASE_WORDS, TurnView } from "./answer-view.tsx";
import { CodeView } from "./code-view.tsx";
import { Composer } from "./composer.tsx";
import { Controls } from "./controls.tsx";
import { EXAMPLES } from "./examples.ts";
import type { Example } from "./examples.ts";
import { focusPrompt } from "./focus-prompt.ts";
import { playgroundSession } from "./session.ts";
import type { PlaygroundSession } from "./session.ts";
import { ToolResults } from "./tool-results.tsx";

/** Within so many pixels of the end, whoever reads is taken along as more comes. */
const NEAR_THE_END = 120;

/** Where somebody talks to a model and sees why it stops. */
export function Playground() {
  const session = playgroundSession();
  useWatch(session);
  const listed = useValue(models);
  useEffect(() => {
    const leaving = new AbortController();
    void loadModels(leaving.signal);
    return () => leaving.abort();
  }, []);
  useEffect(() => {
    const first = listed.state === "ready" ? listed.models[0] : undefined;
    if (first !== undefined && session.settings.model === "") session.change({ model: first.id });
  }, [listed]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      // In the middle of a word, Escape is for whatever helps to write it.
      if (event.key === "Escape" && !isPartOfWriting(event)) session.stop("stop");
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  const isWide = matchMedia("(min-width: 60rem)").matches;
  return (
    <div class="playground">
      <h1 class="hidden">Playground</h1>
      <section class="conversation" aria-label="Conversation">
        <Conversation session={session} />
        {listed.state === "failed" && <Note kind="error">{describeError(listed.error)}</Note>}
        <Composer session={session} />
      </section>
      <details class="panel" open={isWide}>
        <summary>
          <h2>When to stop</h2>
        </summary>
        <Controls listed={listed} settings={session.settings} onChange={(settings) => session.change(settings)} />
        {session.turns.length > 0 && <CodeView session={session} />}
      </details>
      <p class="hidden" role="status">
        {statusOf(session)}
      </p>
    </div>
  );
}

function Conversation({ session }: { readonly session: PlaygroundSession }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const last = session.turns.at(-1);
  const hasTurns = last !== undefined;
  // Whoever asks something wants to see it, wherever they were.
  useLayoutEffect(() => {
    isAtEnd.current = true;
  }, [last]);
  // Before the browser paints what has come, so that nothing jumps.
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && isAtEnd.current && hasTurns) current.scrollTop = current.scrollHeight;
  });
  const onScroll = (): void => {
    const { current } = box;
    if (current === null) return;
    isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_THE_END;
  };
  return (
    <div
      class="turns"
      ref={box}
      onScroll={onScroll}
      tabIndex={hasTurns ? 0 : undefined}
      role="group"
      aria-label="Turns"
    >
      {hasTurns ? session.turns.map((turn) => <TurnView key={turn.key} turn={turn} />) : <Welcome session={session} />}
      <ToolResults session={session} />
    </div>
  );
}

function Welcome({ session }: { readonly session: PlaygroundSession }) {
  const tryOut = ({ prompt, settings }: Example): void => {
    focusPrompt();
    session.change(settings);
    session.ask({ type: "text", text: prompt });
  };
  const hasModel = session.settings.model !== "";
  return (
    <div class="welcome">
      <h2>See it stop</h2>
      <p>Ask the model something, or try one of these. Every answer says why it ended.</p>
      <div class="examples">
        {EXAMPLES.map((example) => (
          <button type="button" key={example.title} disabled={!hasModel} onClick={() => tryOut(example)}>
            <strong>{example.title}</strong>
            <span class="quiet">{example.prompt}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

/** What a screen reader is told: not every word, but what the model is doing and how it has ended. */
function statusOf({ turns }: PlaygroundSession): string {
  const last = turns.at(-1);
  // What has failed is said by its note.
  if (last === undefined || last.state.type === "failed") return "";
  const { signal, phase } = last.answer;
  if (signal === undefined) return last.order === "stop" ? "Stopping" : PHASE_WORDS[phase];
  const { label, tone } = wordsOf(signal.reason);
  const why = tone === "bad" && signal.message !== undefined ? `${signal.message}. ` : "";
  return `${label}. ${why}${last.answer.text.slice(0, 500)}`;
}
