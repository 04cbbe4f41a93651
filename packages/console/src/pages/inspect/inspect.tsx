import { useMemo, useState } from "preact/hooks";
import { EventList } from "../../components/event-list.tsx";
import { Note } from "../../components/note.tsx";
import { Timeline } from "../../components/timeline.tsx";
import { createObservable, useValue } from "../../state/observable.ts";
import type { Observable } from "../../state/observable.ts";
import { SAMPLE } from "./sample.ts";
import { FORMAT_NAMES, readRecording } from "./read-recording.ts";

/** What is looked at. A file may have bytes that no text field can hold. */
interface Input {
  readonly text: string;
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  readonly format: string;
}

/** It stays while other pages are looked at. */
const input: Observable<Input> = createObservable<Input>({ text: "", file: undefined, format: "" });

/** Where a recorded answer of any provider is taken apart, in the browser. */
export function Inspect() {
  const { text, file, format } = useValue(input);
  const [isDragged, setIsDragged] = useState(false);
  const take = async (taken: File | undefined): Promise<void> => {
    if (taken === undefined) return;
    const bytes = new Uint8Array(await taken.arrayBuffer());
    input.set({ ...input.get(), file: { name: taken.name, bytes }, text: "" });
  };
  const choose = (field: HTMLInputElement): void => {
    void take(field.files?.[0]);
    // A browser does not tell when the file that is chosen already is chosen again, after a look at something else.
    field.value = "";
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setIsDragged(false);
    const dropped = event.dataTransfer?.files[0];
    if (dropped !== undefined) void take(dropped);
    else write(event.dataTransfer?.getData("text/plain") ?? "");
  };
  const write = (written: string): void => input.set({ ...input.get(), file: undefined, text: written });
  const bytes = useMemo(() => file?.bytes ?? new TextEncoder().encode(text), [file, text]);
  return (
    <div class="stack">
      <h1>Inspect</h1>
      <p class="lead">
        Paste or drop the recorded answer of any provider. It is decoded here, in the browser; nothing of it is sent.
      </p>
      <div
        class={isDragged ? "drop is-dragged" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setIsDragged(true);
        }}
        onDragLeave={() => setIsDragged(false)}
        onDrop={onDrop}
      >
        <label for="recording">Recorded answer</label>
        <textarea
          id="recording"
          rows={8}
          spellcheck={false}
          value={text}
          placeholder={file === undefined ? "data: {…}" : `${file.name}, ${file.bytes.length} bytes`}
          onInput={(event) => write(event.currentTarget.value)}
        />
        <div class="row">
          <label class="hidden" for="format">
            Dialect
          </label>
          <select
            id="format"
            value={format}
            onChange={(event) => input.set({ ...input.get(), format: event.currentTarget.value })}
          >
            <option value="">Recognise the dialect</option>
            {FORMAT_NAMES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <label class="file-button" for="file">
            Choose a file
            <input id="file" type="file" onChange={(event) => choose(event.currentTarget)} />
          </label>
          <button type="button" onClick={() => write(SAMPLE)}>
            Try an example
          </button>
        </div>
      </div>
      {bytes.length === 0 ? (
        <Note kind="empty">Nothing to look at yet.</Note>
      ) : (
        <Verdict bytes={bytes} format={format} />
      )}
    </div>
  );
}

function Verdict({ bytes, format }: { readonly bytes: Uint8Array; readonly format: string }) {
  const recording = useMemo(() => readRecording(bytes, format), [bytes, format]);
  return (
    <section class="card" aria-label="What the recording says">
      <p class="quiet">
        {recording.isKnown ? recording.format : `Nothing in it was understood. It was read as ${recording.format}`},{" "}
        {recording.bytes} bytes
      </p>
      <Timeline answer={recording.answer} />
      <EventList events={recording.events} />
    </section>
  );
}
