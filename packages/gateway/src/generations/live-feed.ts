import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { GenerationRecord } from "fullstop/control";
import { asEvents, framedHead } from "../doors/framing.ts";
import { sendText } from "../doors/send-text.ts";
import { SIGN_OF_LIFE } from "../doors/signs-of-life.ts";
import { LIST_PATIENCE, inTime } from "./ask-store.ts";
import { endedAtHead } from "./send-events.ts";
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
  /** The store does not answer: what runs elsewhere is told as it was, and what has begun there is missing. */
  readonly isPartial?: true;
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
  /** Told of what the store could not do. */
  readonly onStoreFailure: (error: unknown) => void;
  /** Ends the feed. */
  readonly signal: AbortSignal;
}

/** Sends what runs, all of it first and then what changes, until the reader goes or the signal fires. */
export async function sendLiveFeed(response: ServerResponse, options: FeedOptions): Promise<void> {
  const { progress, signal } = options;
  response.writeHead(200, framedHead(asEvents()));
  if (endedAtHead(response)) return;
  const look = createLook(options);
  let sent: ReadonlyMap<string, string> | undefined;
  let wasPartial = false;
  let quiet = 0;
  while (!signal.aborted) {
    const { running, isPartial } = await look();
    const rows = running.map((each) => toRow(each, progress));
    const texts = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    const change = changeBetween(sent, texts, rows);
    const isNews = sent === undefined || isPartial !== wasPartial || change.rows.length + change.gone.length > 0;
    sent = texts;
    wasPartial = isPartial;
    quiet += 1;
    if (isNews) {
      quiet = 0;
      const told: LiveChange = isPartial ? { ...change, isPartial } : change;
      if (!(await sendText(response, `data: ${JSON.stringify(told)}\n\n`))) return;
    } else if (quiet >= QUIET_ROUNDS) {
      quiet = 0;
      if (!(await sendText(response, SIGN_OF_LIFE))) return;
    }
    // Rejected when the signal fires, which the loop sees by itself.
    await wait(INTERVAL, undefined, { signal }).catch(() => undefined);
  }
  response.end();
}

/** What runs, and whether the store has not said all of it. */
interface Look {
  readonly running: readonly (LiveGeneration | GenerationRecord)[];
  readonly isPartial: boolean;
}

/**
 * Looks at what runs. While the store is away, or takes its time, what ran elsewhere when it was asked last is taken to
 * run still. It is asked one question at a time.
 */
function createLook({ generations, owner, onStoreFailure }: FeedOptions): () => Promise<Look> {
  let elsewhere: readonly GenerationRecord[] = [];
  let isPartial = true;
  let question: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      elsewhere = await generations.runningElsewhere(owner);
      isPartial = false;
    } catch (error) {
      isPartial = true;
      onStoreFailure(error);
    }
    question = undefined;
  };
  return async () => {
    question ??= ask();
    // A question does not fail, so that this is only lost patience: its answer is heard in another round.
    const isAnswered = await inTime(question, LIST_PATIENCE).then(
      () => true,
      () => false,
    );
    const running = [...generations.runningHere(owner), ...elsewhere].sort((a, b) => a.startedAt - b.startedAt);
    return { running, isPartial: isPartial || !isAnswered };
  };
}

function toRow(generation: Look["running"][number], progress: ProgressWatch): LiveRow {
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
