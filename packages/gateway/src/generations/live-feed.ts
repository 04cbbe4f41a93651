import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { asEvents, framedHead } from "../doors/framing.ts";
import { sendText } from "../doors/send-text.ts";
import type { Generations } from "./generations.ts";
import { LiveGeneration } from "./live-generation.ts";
import type { ProgressWatch } from "./progress.ts";
import { summarise } from "./summary.ts";
import type { GenerationSummary } from "./summary.ts";

/** A running generation as the feed tells of it. */
interface LiveRow extends Pick<GenerationSummary, "id" | "model" | "replica" | "phase" | "startedAt"> {
  readonly owner: string;
  /** What follows is known of those only that run on the replica that was asked. */
  readonly characters?: number;
  readonly tokens?: number;
  readonly lastWords?: string;
}

/** What has changed since the last time: rows that are new or different, and the ids of those that have ended. */
interface LiveChange {
  readonly rows: readonly LiveRow[];
  readonly gone: readonly string[];
}

/** How often the feed tells of changes, at most. */
const INTERVAL = 500;
/** After so many rounds without a change something is sent, so that both sides notice when the other has gone. */
const QUIET_ROUNDS = 20;

/** What a feed is about. */
interface FeedOptions {
  readonly generations: Generations;
  readonly progress: ProgressWatch;
  /** Whose generations; undefined for everybody's. */
  readonly owner: string | undefined;
  /** Ends the feed. */
  readonly signal: AbortSignal;
}

/** Sends what runs, all of it first and then what changes, until the reader goes or the signal fires. */
export async function sendLiveFeed(response: ServerResponse, options: FeedOptions): Promise<void> {
  const { generations, progress, owner, signal } = options;
  response.writeHead(200, framedHead(asEvents()));
  let sent: ReadonlyMap<string, string> | undefined;
  let quiet = 0;
  while (!signal.aborted) {
    const rows = (await generations.running(owner)).map((each) => toRow(each, progress));
    const texts = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    const change = changeBetween(sent, texts, rows);
    const isFirst = sent === undefined;
    sent = texts;
    quiet += 1;
    if (isFirst || change.rows.length + change.gone.length > 0) {
      quiet = 0;
      if (!(await sendText(response, `data: ${JSON.stringify(change)}\n\n`))) return;
    } else if (quiet >= QUIET_ROUNDS) {
      quiet = 0;
      if (!(await sendText(response, ":\n\n"))) return;
    }
    // Rejected when the signal fires, which the loop sees by itself.
    await wait(INTERVAL, undefined, { signal }).catch(() => undefined);
  }
  response.end();
}

function toRow(generation: Awaited<ReturnType<Generations["running"]>>[number], progress: ProgressWatch): LiveRow {
  const { id, model, replica, phase, startedAt } = summarise(generation);
  const row = { id, owner: generation.owner, model, replica, phase, startedAt };
  return generation instanceof LiveGeneration ? { ...row, ...progress.look(generation) } : row;
}

function changeBetween(
  before: ReadonlyMap<string, string> = new Map(),
  now: ReadonlyMap<string, string>,
  rows: readonly LiveRow[],
): LiveChange {
  return {
    rows: rows.filter(({ id }) => before.get(id) !== now.get(id)),
    gone: [...before.keys()].filter((id) => !now.has(id)),
  };
}
