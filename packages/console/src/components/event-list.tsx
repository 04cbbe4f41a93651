import type { GenerationEvent } from "fullstop";
import { useState } from "preact/hooks";

/** More lines than these nobody reads. */
const MOST_EVENTS = 1000;

/** The events of an answer, one to a line, as they are recorded. */
export function EventList({ events }: { readonly events: readonly GenerationEvent[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const shown = events.slice(0, MOST_EVENTS);
  return (
    <details class="events" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{events.length === 1 ? "1 event" : `${events.length} events`}</summary>
      {isOpen && (
        <pre tabIndex={0} aria-label="Events">
          {shown.map((event) => JSON.stringify(event)).join("\n")}
          {events.length > shown.length && `\n… and ${events.length - shown.length} more`}
        </pre>
      )}
    </details>
  );
}
