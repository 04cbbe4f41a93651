import type { GenerationEvent } from "fullstop";
import { useEffect, useState } from "preact/hooks";
import { Answer } from "../../answer/fold.ts";
import { readEventStream } from "../../api/event-stream.ts";
import { eventsAddress } from "../../api/generations.ts";
import { describeError } from "../../api/http.ts";
import { EventList } from "../../components/event-list.tsx";
import { Note } from "../../components/note.tsx";
import { Timeline } from "../../components/timeline.tsx";
import { addressOf } from "../../state/route.ts";

type Opened =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly message: string }
  | { readonly state: "ready"; readonly answer: Answer; readonly events: readonly GenerationEvent[] };

/** One generation from its start to its end. */
export function GenerationView({ id }: { readonly id: string }) {
  const [opened, setOpened] = useState<Opened>({ state: "loading" });
  useEffect(() => {
    const leaving = new AbortController();
    readAll(id, leaving.signal).then(
      (read) => setOpened({ state: "ready", ...read }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setOpened({ state: "failed", message: describeError(error) });
      },
    );
    return () => leaving.abort();
  }, [id]);
  return (
    <div class="stack">
      <p>
        <a href={addressOf("history")}>← History</a>
      </p>
      <h1 class="id">{id}</h1>
      {opened.state === "loading" && <Note kind="loading">Reading its events…</Note>}
      {opened.state === "failed" && <Note kind="error">{opened.message}</Note>}
      {opened.state === "ready" && (
        <section class="card" aria-label="What it said">
          <Timeline answer={opened.answer} />
          <EventList events={opened.events} />
        </section>
      )}
    </div>
  );
}

async function readAll(id: string, signal: AbortSignal) {
  const answer = new Answer();
  const events: GenerationEvent[] = [];
  const parse: (json: string) => GenerationEvent = JSON.parse;
  for await (const { event: kind, data } of readEventStream(eventsAddress(id, 0), signal)) {
    // One that still runs is shown as far as it is decided.
    if (kind === "held") continue;
    const event = parse(data);
    events.push(event);
    answer.add(event);
  }
  return { answer, events };
}
