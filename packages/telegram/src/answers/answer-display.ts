import type { Clock } from "fullstop";
import type { AgentResult } from "fullstop/agent";
import type { StopReason } from "fullstop/control";
import type { AnswerScreen } from "../screen/answer-screen.ts";
import { isUnseen } from "../text/clean-text.ts";
import type { EndingKind, Words } from "../words/words.ts";
import type { AnswerProgress } from "./answer-progress.ts";
import { finishedButtons, runningButtons } from "./buttons.ts";
import { endingOf } from "./ending.ts";

/** How long to wait for something to show before it is said that something will come. */
const FIRST_SIGN_MILLISECONDS = 700;

/** What the display of an answer needs. */
export interface AnswerDisplayParts {
  readonly id: string;
  readonly words: Words;
  readonly progress: AnswerProgress;
  readonly screen: AnswerScreen;
}

/** Says what is to be seen of an answer, from the first sign of life to how it ended, and which buttons it has. */
export class AnswerDisplay {
  readonly #parts: AnswerDisplayParts;
  /** Whether it is time to show that something will come. */
  #isDue = false;

  constructor(parts: AnswerDisplayParts) {
    this.#parts = parts;
  }

  /** Whether there was no time to show how it ended. */
  get isGivenUp(): boolean {
    return this.#parts.screen.isGivenUp;
  }

  /** Shows that something will come, unless it comes soon by itself. Gives a function that ends the waiting for it. */
  begin(clock: Clock): () => void {
    this.#parts.screen.announce();
    return clock.after(FIRST_SIGN_MILLISECONDS, () => {
      this.#isDue = true;
      this.update();
    });
  }

  /** Shows what there is by now. */
  update(): void {
    const { id, words, progress, screen } = this.#parts;
    if (progress.isEmpty && !this.#isDue) return;
    screen.show({ view: progress.view({ isRunning: true }), buttons: runningButtons(id, progress.phase, words) });
  }

  /** Shows how it ended, given what has stopped it if something has. Fulfilled when that is seen, or cannot be. */
  async end(result: AgentResult, stopReason: StopReason | undefined): Promise<void> {
    const { progress, screen } = this.#parts;
    const hasText = !isUnseen(result.text);
    const ending = endingOf(result, progress.text);
    const isMovedOn = stopReason === "new_message";
    // Where nothing was said, whoever has stopped it knows: they have been told, or have gone on to something else.
    // Only when the bot itself ends, nobody else says so.
    const isNothing = ending === "interrupted" && !hasText && progress.isEmpty && stopReason !== "shutdown";
    if (isNothing && (isMovedOn || screen.isEmpty)) await this.clear();
    else await this.#close({ ending, hasText, isMovedOn });
  }

  /** Takes away whatever is to be seen, because there is nothing to answer. */
  async clear(): Promise<void> {
    await this.#parts.screen.clear();
  }

  /** Shows that it could not be given. */
  async fail(): Promise<void> {
    await this.#close({ ending: "error", hasText: false, isMovedOn: false });
  }

  async #close({ ending, hasText, isMovedOn }: Finish): Promise<void> {
    const { id, words, progress, screen } = this.#parts;
    const mark = ending && words.endings[ending];
    await screen.close({
      view: progress.view({ isRunning: false, mark }),
      // Only the last answer can be continued or written again, and this one is not the last any more.
      buttons: isMovedOn ? undefined : finishedButtons(id, { ending, hasText }, words),
    });
  }
}

/** What an answer has come to. */
interface Finish {
  readonly ending: EndingKind | undefined;
  readonly hasText: boolean;
  /** Whether whoever asked has gone on to something else. */
  readonly isMovedOn: boolean;
}
