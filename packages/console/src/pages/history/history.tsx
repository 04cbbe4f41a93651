import { useEffect, useMemo, useState } from "preact/hooks";
import type { PastGeneration } from "../../api/generations.ts";
import { Note } from "../../components/note.tsx";
import { wordsOf } from "../../components/reasons.ts";
import { focusMain } from "../../state/focus.ts";
import { useValue, useWatch } from "../../state/observable.ts";
import { addressOf, route } from "../../state/route.ts";
import { countInBuckets } from "./buckets.ts";
import { colourOfReason, coloursByName } from "./colours.ts";
import { figuresOf } from "./figures.ts";
import { GenerationView } from "./generation-view.tsx";
import { HistoryList } from "./history-list.tsx";
import { HistoryStore } from "./history-store.ts";
import { Plot } from "./plot.tsx";

/** What has ended, and why. */
export function History() {
  const { id } = useValue(route);
  const store = useMemo(() => new HistoryStore(), []);
  useWatch(store);
  useEffect(() => void store.load(), [store]);
  if (id === "") return <Overview store={store} />;
  return <GenerationView key={id} id={id} past={store.generations.find((each) => each.id === id)} />;
}

function Overview({ store }: { readonly store: HistoryStore }) {
  const [search, setSearch] = useState("");
  const { generations, state, next } = store;
  return (
    <div class="stack">
      <div class="row spread">
        <h1>History</h1>
        <button type="button" onClick={() => void store.load()} aria-disabled={state === "loading"}>
          Refresh
        </button>
      </div>
      {typeof state === "object" && <Note kind="error">{state.failed}</Note>}
      {state === "loading" && generations.length === 0 && <Note kind="loading">Reading what has ended…</Note>}
      {state === "ready" && generations.length === 0 && (
        <Note kind="empty">
          <strong>Nothing has ended yet.</strong>
          <p>
            Talk to a model in the <a href={addressOf("playground")}>playground</a> first.
          </p>
        </Note>
      )}
      {generations.length > 0 && (
        <>
          <Figures generations={generations} />
          <div class="field">
            <label for="search">Search</label>
            <input
              id="search"
              type="search"
              value={search}
              placeholder="a model, an owner, a reason, an id"
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          </div>
          <HistoryList generations={generations} search={search.trim()} />
          {next !== null && (
            <button type="button" onClick={() => void readMore(store)} aria-disabled={state === "loading"}>
              Read older ones
            </button>
          )}
        </>
      )}
    </div>
  );
}

async function readMore(store: HistoryStore): Promise<void> {
  await store.more();
  // The button has gone with what it was for.
  if (store.next === null) focusMain();
}

function Figures({ generations }: { readonly generations: readonly PastGeneration[] }) {
  const byReason = useMemo(() => countInBuckets(generations, ({ signal }) => signal.reason), [generations]);
  const byModel = useMemo(() => countInBuckets(generations, ({ model }) => model), [generations]);
  return (
    <>
      <dl class="figures">
        {figuresOf(generations).map(({ label, value }) => (
          <div key={label} class="card">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="plots">
        <Plot
          title="Endings by reason"
          buckets={byReason}
          labelOf={(name) => wordsOf(name).label}
          colourOf={colourOfReason}
        />
        <Plot
          title="Endings by model"
          buckets={byModel}
          labelOf={(name) => name}
          colourOf={coloursByName(byModel.kinds)}
        />
      </div>
    </>
  );
}
