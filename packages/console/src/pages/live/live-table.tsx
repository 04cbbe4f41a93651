import { useEffect, useRef, useState } from "preact/hooks";
import { stopGeneration } from "../../api/generations.ts";
import type { LiveRow, StopMode } from "../../api/generations.ts";
import { describeError } from "../../api/http.ts";
import { gatewayTime } from "../../state/clock.ts";
import { focusMain } from "../../state/focus.ts";
import { addressOf } from "../../state/route.ts";
import { useVisibleRows } from "./visible-rows.ts";

const ROW_HEIGHT = 52;

/** What {@link LiveTable} needs. */
interface LiveTableProps {
  readonly rows: readonly LiveRow[];
  readonly onStopped: (message: string) => void;
}

/** What runs, row by row. Only those rows are rendered that can be seen. */
export function LiveTable({ rows, onStopped }: LiveTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const { first, end, before, after } = useVisibleRows(box, ROW_HEIGHT, rows.length);
  const now = useNow();
  return (
    <div class="table-box" ref={box} tabIndex={0} role="region" aria-label="Running generations">
      <table class="live" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Owner</th>
            <th scope="col">Phase</th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="number">
              Seconds
            </th>
            <th scope="col" class="number">
              Per second
            </th>
            <th scope="col" class="wide">
              Last words
            </th>
            <th scope="col">
              <span class="hidden">Stop</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Gap height={before} />
          {rows.slice(first, end).map((row, index) => (
            <Row key={row.id} row={row} now={now} index={first + index + 2} onStopped={onStopped} />
          ))}
          <Gap height={after} />
        </tbody>
      </table>
    </div>
  );
}

/** The room of the rows that are not rendered. */
function Gap({ height }: { readonly height: number }) {
  if (height === 0) return null;
  return (
    <tr aria-hidden="true" class="gap">
      <td colSpan={8} style={{ height: `${height}px` }} />
    </tr>
  );
}

interface RowProps {
  readonly row: LiveRow;
  readonly now: number;
  readonly index: number;
  readonly onStopped: (message: string) => void;
}

function Row({ row, now, index, onStopped }: RowProps) {
  const { id, model, owner, phase, startedAt, tokens, lastWords = "" } = row;
  const seconds = Math.max(0, (now - Date.parse(startedAt)) / 1000);
  const rate = tokens === undefined || seconds < 1 ? undefined : tokens / seconds;
  const order = async (mode: StopMode): Promise<void> => {
    // The button goes. The focus goes to no other row: a second press must not stop somebody else's.
    focusMain();
    const result = await stopGeneration(id, mode).then(
      (word) => (mode === "skip-thinking" && word === "stopped" ? "thinking skipped" : word.replaceAll("_", " ")),
      describeError,
    );
    onStopped(`${model} of ${owner}: ${result}`);
  };
  return (
    <tr aria-rowindex={index} data-id={id}>
      <td class="strong" title={model}>
        <a href={addressOf("history", id)}>{model}</a>
      </td>
      <td title={owner}>{owner}</td>
      <td>
        <span class={`phase phase-${phase}`}>{phase}</span>
      </td>
      <td class="number">{tokens ?? "–"}</td>
      <td class="number">{Math.floor(seconds)}</td>
      <td class="number">{rate === undefined ? "–" : rate.toFixed(rate < 10 ? 1 : 0)}</td>
      <td class="wide last-words">
        <bdi>{lastWords}</bdi>
      </td>
      <td class="actions">
        {phase === "thinking" && (
          <button type="button" class="small" onClick={() => void order("skip-thinking")}>
            Skip<span class="wide"> thinking</span>
          </button>
        )}
        <button type="button" class="small stop" onClick={() => void order("stop")} aria-label={`Stop ${model}`}>
          Stop
        </button>
      </td>
    </tr>
  );
}

/** The time of the gateway, once a second. */
function useNow(): number {
  const [now, setNow] = useState(gatewayTime);
  useEffect(() => {
    const timer = setInterval(() => setNow(gatewayTime()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
