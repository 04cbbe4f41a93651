import { useState } from "preact/hooks";
import type { PlaygroundSession } from "./session.ts";

/** Where the next question is written, and where the answer that is on its way is stopped. */
export function Composer({ session }: { readonly session: PlaygroundSession }) {
  const [draft, setDraft] = useState("");
  const { current, turns } = session;
  const isRunning = current !== undefined;
  const send = (): void => {
    const text = draft.trim();
    if (text === "" || isRunning) return;
    session.ask({ type: "text", text });
    setDraft("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="hidden" for="prompt">
        Message
      </label>
      <textarea
        id="prompt"
        rows={2}
        value={draft}
        placeholder="Say something to the model"
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-buttons">
        <span class="composer-left">
          {turns.length > 0 && (
            <button
              type="button"
              class="quiet-button"
              aria-label="New conversation"
              onClick={() => void session.clear()}
            >
              New
            </button>
          )}
        </span>
        {isRunning ? (
          <StopButtons session={session} isThinking={current.answer.phase === "thinking"} />
        ) : (
          <AskButtons session={session} canSend={draft.trim() !== ""} />
        )}
      </div>
    </form>
  );
}

function StopButtons({ session, isThinking }: { readonly session: PlaygroundSession; readonly isThinking: boolean }) {
  if (!isThinking) {
    return (
      <button type="button" class="stop" title="Escape" onClick={() => void session.stop("stop")}>
        Stop
      </button>
    );
  }
  return (
    <>
      <button type="button" class="quiet-button" title="Escape" onClick={() => void session.stop("stop")}>
        Stop
      </button>
      <button type="button" class="stop" onClick={() => void session.stop("skip-thinking")}>
        Skip thinking
      </button>
    </>
  );
}

function AskButtons({ session, canSend }: { readonly session: PlaygroundSession; readonly canSend: boolean }) {
  const last = session.turns.at(-1);
  const hasAnswer = last?.state.type === "ended";
  return (
    <>
      {last !== undefined && (
        <button type="button" onClick={() => session.regenerate()}>
          Regenerate
        </button>
      )}
      {hasAnswer && last.answer.text !== "" && (
        <button type="button" onClick={() => session.ask({ type: "text", text: "continue" })}>
          Continue
        </button>
      )}
      <button type="submit" class="primary" disabled={!canSend}>
        Send
      </button>
    </>
  );
}
