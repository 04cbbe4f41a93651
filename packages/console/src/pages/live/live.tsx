import { useEffect, useMemo, useState } from "preact/hooks";
import { stopAllOf } from "../../api/generations.ts";
import { describeError } from "../../api/http.ts";
import { Note } from "../../components/note.tsx";
import { useWatch } from "../../state/observable.ts";
import { addressOf } from "../../state/route.ts";
import { LiveStore } from "./live-store.ts";
import type { FeedState } from "./live-store.ts";
import { LiveTable } from "./live-table.tsx";

const MAY_BE_OTHERS = "The store cannot be reached, so that others may still run elsewhere.";

/** What runs at present, and how to stop it. */
export function Live() {
  const store = useMemo(() => new LiveStore(), []);
  useWatch(store);
  const [message, setMessage] = useState("");
  useEffect(() => {
    const leaving = new AbortController();
    void store.follow(leaving.signal);
    return () => leaving.abort();
  }, [store]);
  const { rows, state } = store;
  const owners = [...new Set(rows.map(({ owner }) => owner))].toSorted();
  return (
    <div class="stack">
      <div class="row spread">
        <h1>
          Live <span class="count">{rows.length}</span>
        </h1>
        <p class="quiet" role="status">
          {message}
        </p>
        {rows.length > 0 && <StopAll owners={owners} onStopped={setMessage} />}
      </div>
      <FeedNote state={state} />
      {rows.length > 0 && <LiveTable rows={rows} onStopped={setMessage} />}
      {rows.length === 0 && state.type === "connected" && (
        <Note kind="empty">
          <strong>Nothing runs.</strong>
          <p>
            Start something in the <a href={addressOf("playground")}>playground</a> and it shows up here within half a
            second.
          </p>
        </Note>
      )}
    </div>
  );
}

function FeedNote({ state }: { readonly state: FeedState }) {
  if (state.type === "loading") return <Note kind="loading">Asking what runs…</Note>;
  if (state.type === "away") return <Note kind="loading">The gateway is away. Trying again…</Note>;
  if (state.type === "partial") return <Note kind="error">{MAY_BE_OTHERS}</Note>;
  if (state.type === "refused") return <Note kind="error">{state.message}</Note>;
  return null;
}

interface StopAllProps {
  readonly owners: readonly string[];
  readonly onStopped: (message: string) => void;
}

function StopAll({ owners, onStopped }: StopAllProps) {
  const [chosen, setChosen] = useState("");
  const owner = owners.includes(chosen) ? chosen : (owners[0] ?? "");
  const stop = async (): Promise<void> => {
    onStopped(
      await stopAllOf(owner).then(
        ({ count, isPartial }) => `Stopped ${count} of ${owner}.${isPartial ? ` ${MAY_BE_OTHERS}` : ""}`,
        (error: unknown) => describeError(error),
      ),
    );
  };
  return (
    <div class="row">
      <label class="hidden" for="owner">
        Owner
      </label>
      <select id="owner" value={owner} onChange={(event) => setChosen(event.currentTarget.value)}>
        {owners.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <button type="button" class="stop" onClick={() => void stop()}>
        Stop all of this key
      </button>
    </div>
  );
}
