import type { Call } from "./dispatch.ts";
import type { World } from "./state.ts";
import { writeTranscript } from "./transcript.ts";

const LAST_CALLS = 15;

/**
 * Waits until something is so. The question is asked again at every change of the server's state, never by the clock;
 * it resolves with whatever the question gives that is neither undefined nor false.
 */
export function until<T>(
  world: World,
  calls: readonly Call[],
  question: () => T | undefined | false,
  what: string,
  timeLimitMs: number,
): Promise<T> {
  // Made here, so that its stack shows the test that waits.
  const tooLate = new Error();
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
    };
    const ask = (): void => {
      try {
        const answer = question();
        if (answer === undefined || answer === false) return;
        end();
        resolve(answer);
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const stop = world.watch(ask);
    const timer = setTimeout(() => {
      stop();
      tooLate.message = `Waited ${timeLimitMs} ms in vain until ${what}.\n\n${describe(world, calls)}`;
      reject(tooLate);
    }, timeLimitMs);
    ask();
  });
}

/** The screens of all chats and the last calls, for whoever has to find out what went wrong. */
function describe(world: World, calls: readonly Call[]): string {
  const screens = [...world.chats.values()].slice(0, 5).map((chat) => writeTranscript(world, chat));
  const last = calls.slice(-LAST_CALLS).map(({ method, parameters, answer }) => {
    const outcome = typeof answer === "object" ? (answer.ok ? "ok" : answer.description) : (answer ?? "under way");
    return `${method} ${JSON.stringify(parameters).slice(0, 160)} -> ${outcome}`;
  });
  return [...screens, "The last calls:", ...last].join("\n");
}
