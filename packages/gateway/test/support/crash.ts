import Database from "libsql";
import { finish, text } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { followEvents, openChat, textOf } from "./replicas.ts";
import type { OpenStream, ReplicaRoom } from "./replicas.ts";
import type { Upstream } from "./upstream.ts";

/** What was found after a server with a file was killed and started again. */
export interface CrashFindings {
  /** The pieces that clients had received. */
  readonly received: number;
  /** Those among them that are not in the file, or not where they were. */
  readonly lost: number;
  /** How often each ending was recorded, by its detail or reason. */
  readonly endings: Readonly<Record<string, number>>;
  /** The generations that have not exactly one finish, as the last event. */
  readonly wronglyEnded: number;
  /** What SQLite says of the file. */
  readonly integrity: string;
}

/** How long a provider takes between two pieces, and how many pieces answers have: every fourth is a short one. */
const PIECE_MILLISECONDS = 100;
const LONG_PIECES = 2_000;
const SHORT_PIECES = 10;

/** Opens a provider whose answers are long enough to be in the middle of when a server is killed. */
export function openSlowUpstream(room: ReplicaRoom): Promise<Upstream> {
  let asked = 0;
  return room.upstream(() => {
    asked += 1;
    return slowAnswer(asked % 4 === 0 ? SHORT_PIECES : LONG_PIECES);
  });
}

/** The pieces of an answer, one after the other. */
export function slowAnswer(pieces: number, milliseconds: number = PIECE_MILLISECONDS): readonly ScriptStep[] {
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  return [...Array.from({ length: pieces }, (_, index) => [text(`${index} `), pause]).flat(), finish()];
}

/** Kills a server in the middle of many streams, when each has so many pieces on average, and starts it again. */
export async function crashOnce(
  room: ReplicaRoom,
  upstream: Upstream,
  file: string,
  { streams: count, pieces }: { readonly streams: number; readonly pieces: number },
): Promise<CrashFindings> {
  const first = await room.serve("one", upstream, file);
  const streams = await Promise.all(Array.from({ length: count }, () => openChat(first.url)));
  await Promise.all(streams.map((stream) => stream.has(pieces)));
  await first.kill();
  await Promise.all(streams.map(({ over }) => over));
  const second = await room.serve("two", upstream, file);
  const checks = await Promise.all(streams.map((stream) => check(second.url, stream)));
  second.child.kill("SIGTERM");
  await second.exit;
  const endings: Record<string, number> = {};
  for (const { ending } of checks) endings[ending] = (endings[ending] ?? 0) + 1;
  return {
    received: streams.reduce((sum, stream) => sum + stream.pieces.length, 0),
    lost: checks.reduce((sum, { lost }) => sum + lost, 0),
    endings,
    wronglyEnded: checks.filter(({ isEndedOnce }) => !isEndedOnce).length,
    integrity: integrityOf(file),
  };
}

async function check(url: string, { id, pieces }: OpenStream) {
  const events = await followEvents(url, id);
  const recorded = textOf(events).split(/(?<= )/u);
  const finishes = events.filter((event) => event.type === "finish");
  const last = events.at(-1);
  return {
    lost: pieces.filter((piece, index) => recorded[index] !== piece).length,
    ending: finishes[0]?.signal.detail ?? finishes[0]?.signal.reason ?? "none",
    isEndedOnce: finishes.length === 1 && last?.type === "finish",
  };
}

function integrityOf(file: string): string {
  const database = new Database(file);
  try {
    return JSON.stringify(database.pragma("integrity_check"));
  } finally {
    database.close();
  }
}
