import type { TerminationSignal, Usage } from "fullstop";
import { call, callJson } from "./http.ts";

/** A model that can be asked. */
export interface Model {
  readonly id: string;
  readonly owned_by: string;
}

/** How a generation ended, with what the gateway alone knows about it. */
export interface Ending extends TerminationSignal {
  readonly warnings?: readonly { readonly field: string; readonly message: string }[];
  readonly unshown?: { readonly characters: number; readonly estimatedTokens: number };
  readonly skippedThinking?: true;
  readonly stopMilliseconds?: number;
}

/** A running generation, as the live feed tells of it. */
export interface LiveRow {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly replica: string;
  readonly phase: "waiting" | "thinking" | "answering" | "calling" | "unknown" | "ended";
  readonly startedAt: string;
  readonly characters?: number;
  readonly tokens?: number;
  readonly lastWords?: string;
}

/** What has changed among the running generations. */
export interface LiveChange {
  readonly rows: readonly LiveRow[];
  readonly gone: readonly string[];
  /** Whether others may run elsewhere, because the store could not be asked. */
  readonly isPartial?: boolean;
}

/** A generation that has ended. */
export interface PastGeneration {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly replica: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly events: number;
  readonly bytes: number;
  readonly signal: Ending;
  readonly usage: Usage | null;
  readonly maxOutputTokens?: number;
}

/** A page of the history, the newest first. */
export interface HistoryPage {
  readonly generations: readonly PastGeneration[];
  readonly next: string | null;
}

/** The models that whoever uses the page may ask. */
export async function listModels(): Promise<readonly Model[]> {
  const { data } = await callJson<{ readonly data: readonly Model[] }>("/v1/models");
  return data;
}

/** Starts a generation that goes on without its reader, and gives its id. */
export async function startGeneration(body: object): Promise<string> {
  const response = await call("/v1/chat/completions", { method: "POST", body });
  const id = response.headers.get("x-fullstop-generation-id") ?? "";
  // Its events are read by the id, from wherever they are wanted.
  await response.body?.cancel();
  return id;
}

/** Where the events of a generation are, from an offset on, with the text that is held back between them. */
export function eventsAddress(id: string, from: number): string {
  return `/v1/generations/${encodeURIComponent(id)}/events?from=${from}&held=true`;
}

/** What can be wanted of a generation. */
export type StopMode = "stop" | "skip-thinking";

/** Stops a generation, or its thinking, and gives what came of it. */
export async function stopGeneration(id: string, mode: StopMode): Promise<string> {
  const address = `/v1/generations/${encodeURIComponent(id)}/stop`;
  const { result } = await callJson<{ readonly result: string }>(address, { method: "POST", body: { mode } });
  return result;
}

/** What came of a stop of all that runs for one owner. */
interface StoppedAll {
  readonly generations: readonly { readonly result: string }[];
  /** Whether there may be others, because the store could not be asked. */
  readonly isPartial?: boolean;
}

/** Stops all that runs for one owner. Gives how many there were, and whether there may be others. */
export async function stopAllOf(owner: string): Promise<{ readonly count: number; readonly isPartial: boolean }> {
  const options = { method: "POST", body: { owner } } as const;
  const { generations, isPartial = false } = await callJson<StoppedAll>("/v1/generations/stop", options);
  return { count: generations.filter(({ result }) => result !== "unreachable").length, isPartial };
}

/** Reads a page of what has ended. */
export function readHistory(before: string | null): Promise<HistoryPage> {
  const after = before === null ? "" : `&before=${encodeURIComponent(before)}`;
  return callJson(`/v1/generations?state=ended&limit=500${after}`);
}
