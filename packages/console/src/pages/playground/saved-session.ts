import { readSaved, save } from "../../state/saved.ts";
import { FIRST_SETTINGS } from "./settings.ts";
import type { PlaygroundSettings } from "./settings.ts";
import type { Prompt, Turn } from "./turn.ts";

/** A turn as it is kept: what was asked, and by which id its answer is read again, or why there is none. */
export type SavedTurn =
  | { readonly prompt: Prompt; readonly id: string }
  | { readonly prompt: Prompt; readonly failure: string };

/** What is kept of the playground over a reload. */
interface SavedSession {
  readonly settings: PlaygroundSettings;
  readonly turns: readonly SavedTurn[];
}

/** An answer without an id cannot be found again, though it may be written. */
const LEFT_EARLY =
  "The page was left before the gateway had told the id of this answer. It may still be written: the live page shows it.";

/** Reads what was kept by this page in this tab. */
export function readSession(): SavedSession {
  const saved = readSaved("playground");
  if (typeof saved !== "object" || saved === null) return { settings: FIRST_SETTINGS, turns: [] };
  const { settings, turns } = saved as Partial<SavedSession>;
  return { settings: { ...FIRST_SETTINGS, ...settings }, turns: turns ?? [] };
}

/**
 * Keeps what is needed to go on after a reload. Answers are not: the gateway has them. Where there is no room for all
 * questions, the older half of them goes, because what was asked last may still be answered.
 */
export function saveSession(settings: PlaygroundSettings, turns: readonly Turn[]): void {
  const isSaved = save("playground", { settings, turns: turns.map(savedTurn) } satisfies SavedSession);
  if (!isSaved && turns.length > 0) saveSession(settings, turns.slice(Math.ceil(turns.length / 2)));
}

function savedTurn({ prompt, state }: Turn): SavedTurn {
  if (state.type === "asking") return { prompt, failure: LEFT_EARLY };
  if (state.type === "failed" && state.id === null) return { prompt, failure: state.message };
  return { prompt, id: state.id ?? "" };
}
