import { useEffect, useMemo } from "preact/hooks";
import type { PastGeneration } from "../../api/generations.ts";
import { EventList } from "../../components/event-list.tsx";
import { Note } from "../../components/note.tsx";
import { Timeline } from "../../components/timeline.tsx";
import { useWatch } from "../../state/observable.ts";
import { addressOf } from "../../state/route.ts";
import { OpenedGeneration } from "./opened-generation.ts";

/** What {@link GenerationView} needs. */
interface GenerationViewProps {
  readonly id: string;
  /** What the history says of it; undefined for one that still runs, or is older than what was read. */
  readonly past: PastGeneration | undefined;
}

/** One generation from its start to its end, as far as it has come. */
export function GenerationView({ id, past }: GenerationViewProps) {
  const opened = useMemo(() => new OpenedGeneration(), []);
  useWatch(opened);
  useEffect(() => {
    const leaving = new AbortController();
    void opened.follow(id, leaving.signal);
    return () => leaving.abort();
  }, [id]);
  const { state, answer, events } = opened;
  return (
    <div class="stack">
      <p>
        <a href={addressOf("history")}>← History</a>
      </p>
      <div>
        <h1 class="id">{id}</h1>
        {past !== undefined && <p class="quiet">{describePast(past)}</p>}
      </div>
      {state.type === "loading" && <Note kind="loading">Reading its events…</Note>}
      {state.type === "away" && <Note kind="loading">The gateway is away. Trying again…</Note>}
      {state.type === "failed" && <Note kind="error">{state.message}</Note>}
      {events.length > 0 && (
        <section class="card" aria-label="What it said">
          <Timeline answer={answer} />
          <EventList events={events} />
        </section>
      )}
    </div>
  );
}

function describePast({ startedAt, endedAt, owner, replica }: PastGeneration): string {
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  return `${new Date(startedAt).toLocaleString()}, ${seconds.toFixed(1)} seconds, for ${owner}, by ${replica}`;
}
