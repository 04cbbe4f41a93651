import { readSaved, save } from "../../state/saved.ts";
import { FIRST_SETTINGS } from "./settings.ts";
import type { PlaygroundSettings } from "./settings.ts";
import type { Prompt, Turn } from "./turn.ts";

/** A turn as it is kept: what was asked, and by which id its answer is read again. */
interface SavedTurn {
  readonly prompt: Prompt;
  readonly id: string;
}

/** What is kept of the playground over a reload. */
export interface SavedSession {
  readonly settings: PlaygroundSettings;
  readonly turns: readonly SavedTurn[];
}

/** Reads what was kept by this page in this tab. */
export function readSession(): SavedSession {
  const saved = readSaved("playground");
  if (typeof saved !== "object" || saved === null) return { settings: FIRST_SETTINGS, turns: [] };
  const { settings, turns } = saved as Partial<SavedSession>;
  return { settings: { ...FIRST_SETTINGS, ...settings }, turns: turns ?? [] };
}

/** Keeps what is needed to go on after a reload. Answers are not: the gateway has them. */
export function saveSession(settings: PlaygroundSettings, turns: readonly Turn[]): void {
  const known = turns.flatMap(({ prompt, state }) => ("id" in state ? [{ prompt, id: state.id }] : []));
  save("playground", { settings, turns: known } satisfies SavedSession);
}
