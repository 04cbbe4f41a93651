import { useState } from "preact/hooks";
import type { AnswerPart } from "../../answer/fold.ts";
import type { PlaygroundSession } from "./session.ts";

const FIRST_RESULT = '{"temperature": 4, "sky": "snow"}';

/** Asks for the results of the calls that the last answer ended with: the page runs no tools. */
export function ToolResults({ session }: { readonly session: PlaygroundSession }) {
  const [result, setResult] = useState(FIRST_RESULT);
  const last = session.turns.at(-1);
  if (last?.state.type !== "ended" || last.answer.signal?.reason !== "tool_calls") return null;
  const calls = last.answer.parts.filter((part): part is Extract<AnswerPart, { type: "tool-call" }> => {
    return part.type === "tool-call" && part.isComplete;
  });
  if (calls.length === 0) return null;
  return (
    <form
      class="tool-results"
      onSubmit={(event) => {
        event.preventDefault();
        session.ask({ type: "results", results: calls.map(({ callId }) => ({ callId, content: result })) });
      }}
    >
      <label for="result">{`What ${calls.map(({ name }) => name).join(" and ")} gives back`}</label>
      <div class="row">
        <input id="result" value={result} onInput={(event) => setResult(event.currentTarget.value)} />
        <button type="submit" class="primary">
          Send the result
        </button>
      </div>
    </form>
  );
}
