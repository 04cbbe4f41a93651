import type { Ending, PastGeneration } from "../../api/generations.ts";
import { ReasonMark } from "../../components/ending-badge.tsx";
import { wordsOf } from "../../components/reasons.ts";
import { showStopString } from "../../components/stop-string.ts";
import { addressOf } from "../../state/route.ts";

/** More rows than these are found by searching. */
const MOST_ROWS = 200;

/** What has ended, the newest first, as far as it fits what is searched for. */
export function HistoryList({
  generations,
  search,
}: {
  readonly generations: readonly PastGeneration[];
  readonly search: string;
}) {
  const found = generations.filter((each) => fits(each, search));
  const shown = found.slice(0, MOST_ROWS);
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Ended generations">
      <table class="past">
        <caption class="hidden">Ended generations, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Ending</th>
            <th scope="col">Detail</th>
            <th scope="col">Model</th>
            <th scope="col" class="wide">
              Owner
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="number wide">
              Seconds
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((each) => (
            <HistoryRow key={each.id} generation={each} />
          ))}
        </tbody>
      </table>
      {found.length > shown.length && (
        <p class="quiet">{`${found.length - shown.length} more; search to find them.`}</p>
      )}
      {found.length === 0 && <p class="quiet">Nothing fits.</p>}
    </div>
  );
}

function HistoryRow({ generation }: { readonly generation: PastGeneration }) {
  const { id, endedAt, startedAt, signal, model, owner, usage } = generation;
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  return (
    <tr data-id={id}>
      <td>
        <a href={addressOf("history", id)}>{new Date(endedAt).toLocaleString()}</a>
      </td>
      <td>
        <ReasonMark reason={signal.reason} />
      </td>
      <td class="quiet">{detailOf(signal)}</td>
      <td class="model" title={model}>
        {model}
      </td>
      <td class="wide">{owner}</td>
      <td class="number">{usage?.outputTokens ?? "–"}</td>
      <td class="number wide">{seconds.toFixed(1)}</td>
    </tr>
  );
}

function detailOf({ stopSequence, detail = "" }: Ending): string {
  return stopSequence === undefined ? detail : showStopString(stopSequence);
}

/** Whether every word that is searched for is somewhere in what is known of a generation. */
function fits({ id, owner, model, signal }: PastGeneration, search: string): boolean {
  const { reason, detail = "", stopSequence = "", message = "" } = signal;
  const all = [id, owner, model, reason, wordsOf(reason).label, detail, stopSequence, message].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => all.includes(word));
}
