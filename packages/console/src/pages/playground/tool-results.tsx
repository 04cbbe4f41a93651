import { useState } from "preact/hooks";
import type { CallPart } from "../../answer/fold.ts";
import { focusPrompt } from "./focus-prompt.ts";
import type { PlaygroundSession } from "./session.ts";

const FIRST_RESULT = '{"temperature": 4, "sky": "snow"}';

/** Asks for the results of the calls that the last answer ended with: the page runs no tools. */
export function ToolResults({ session }: { readonly session: PlaygroundSession }) {
  const last = session.turns.at(-1);
  if (last?.state.type !== "ended" || last.answer.signal?.reason !== "tool_calls") return null;
  const calls = last.answer.parts.filter((part): part is CallPart => part.type === "tool-call" && part.isComplete);
  if (calls.length === 0) return null;
  return <ResultsForm key={last.key} session={session} calls={calls} />;
}

function ResultsForm({ session, calls }: { readonly session: PlaygroundSession; readonly calls: readonly CallPart[] }) {
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map());
  const resultOf = (callId: string): string => written.get(callId) ?? FIRST_RESULT;
  return (
    <form
      class="tool-results"
      onSubmit={(event) => {
        event.preventDefault();
        focusPrompt();
        session.ask({ type: "results", results: calls.map(({ callId }) => ({ callId, content: resultOf(callId) })) });
      }}
    >
      {calls.map(({ callId, name }) => (
        <div class="field" key={callId}>
          <label for={`result-${callId}`}>{`What ${name} gives back`}</label>
          <input
            id={`result-${callId}`}
            value={resultOf(callId)}
            onInput={(event) => setWritten(new Map([...written, [callId, event.currentTarget.value]]))}
          />
        </div>
      ))}
      <button type="submit" class="primary" disabled={!session.canAsk}>
        {calls.length === 1 ? "Send the result" : "Send the results"}
      </button>
    </form>
  );
}
