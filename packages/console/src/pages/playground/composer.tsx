import { useState } from "preact/hooks";
import { isPartOfWriting } from "../../state/composition.ts";
import { readSaved, save } from "../../state/saved.ts";
import { focusPrompt, PROMPT_ID } from "./focus-prompt.ts";
import type { PlaygroundSession } from "./session.ts";
import type { Turn } from "./turn.ts";

/** Where the next question is written, and where the answer that is on its way is stopped. */
export function Composer({ session }: { readonly session: PlaygroundSession }) {
  const [draft, setDraft] = useState(readDraft);
  const { current, turns } = session;
  const canSend = draft.trim() !== "" && session.canAsk && session.settings.model !== "";
  const write = (text: string): void => {
    setDraft(text);
    save("draft", text === "" ? undefined : text);
  };
  const send = (): void => {
    if (!canSend) return;
    session.ask({ type: "text", text: draft.trim() });
    write("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || isPartOfWriting(event)) return;
    event.preventDefault();
    // A button that is pressed with Enter hands the focus over, and the key may still be down.
    if (!event.repeat) send();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        focusPrompt();
        send();
      }}
    >
      <label class="hidden" for={PROMPT_ID}>
        Message
      </label>
      <textarea
        id={PROMPT_ID}
        rows={2}
        dir="auto"
        value={draft}
        placeholder="Say something to the model"
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-buttons">
        <span class="composer-left">
          {turns.length > 0 && (
            <button
              type="button"
              class="quiet-button"
              aria-label="New conversation"
              onClick={press(() => session.clear())}
            >
              New
            </button>
          )}
        </span>
        {current === undefined ? (
          <AskButtons session={session} canSend={canSend} />
        ) : (
          <StopButtons session={session} turn={current} />
        )}
      </div>
    </form>
  );
}

function StopButtons({ session, turn }: { readonly session: PlaygroundSession; readonly turn: Turn }) {
  const { answer, order } = turn;
  const isThinking = answer.phase === "thinking";
  return (
    <>
      <button
        type="button"
        class={isThinking ? "quiet-button" : "stop"}
        title="Escape"
        disabled={order === "stop"}
        onClick={press(() => session.stop("stop"))}
      >
        {order === "stop" ? "Stopping…" : "Stop"}
      </button>
      {isThinking && (
        <button
          type="button"
          class="stop"
          disabled={order !== "none"}
          onClick={press(() => session.stop("skip-thinking"))}
        >
          {order === "skip-thinking" ? "Skipping…" : "Skip thinking"}
        </button>
      )}
    </>
  );
}

function AskButtons({ session, canSend }: { readonly session: PlaygroundSession; readonly canSend: boolean }) {
  const last = session.turns.at(-1);
  // After a call, it is a result that the model waits for.
  const canGoOn = last?.state.type === "ended" && last.answer.signal?.reason !== "tool_calls";
  return (
    <>
      {last !== undefined && (
        <button type="button" disabled={!session.canAsk} onClick={press(() => session.regenerate())}>
          Regenerate
        </button>
      )}
      {canGoOn && last.answer.text !== "" && (
        <button
          type="button"
          disabled={!session.canAsk}
          onClick={press(() => session.ask({ type: "text", text: "continue" }))}
        >
          Continue
        </button>
      )}
      <button type="submit" class="primary" disabled={!canSend}>
        Send
      </button>
    </>
  );
}

/** Does what a button is for, which may not be there afterwards. */
function press(act: () => void): () => void {
  return () => {
    focusPrompt();
    act();
  };
}

/** What was written and not sent, also before another page was looked at or this one was loaded again. */
function readDraft(): string {
  const draft = readSaved("draft");
  return typeof draft === "string" ? draft : "";
}
