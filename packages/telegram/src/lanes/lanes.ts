import type { Question } from "../answers/question.ts";
import { isOf, nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import { Lane } from "./lane.ts";
import type { LaneParts } from "./lane.ts";
import type { LeftQuestion } from "./waiting-questions.ts";

/** The lanes of all places where something is being answered. */
export class Lanes {
  readonly #parts: LaneParts;
  readonly #lanes = new Map<string, Lane>();
  #closedBy: string | undefined;

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  /** Whether everything was stopped, so that nothing should be begun here any more. */
  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  /** In how many other places somebody is being answered, by this process or another. */
  async countElsewhere(place: Place): Promise<number> {
    const { listBusy, log } = this.#parts;
    let everywhere: readonly string[] = [];
    try {
      everywhere = await listBusy();
    } catch (error) {
      log.warn({ err: error }, "the store could not say where somebody is being answered by other processes");
    }
    const names = new Set([...this.#lanes.keys(), ...everywhere]);
    names.delete(nameOf(place));
    return [...names].filter((name) => isOf(name, place.user)).length;
  }

  isBusy(place: Place): boolean {
    return this.#lanes.has(nameOf(place));
  }

  /** Whether another process answers in a place, where that is a reason to turn a question away. */
  async isBusyElsewhere(place: Place): Promise<boolean> {
    const { whenBusy, answers, log } = this.#parts;
    if (whenBusy !== "ignore" || this.isBusy(place)) return false;
    try {
      // A question that only waits there waits for further parts of its message, and this may be one of them.
      return (await answers.elsewhere(place)).length > 0;
    } catch (error) {
      log.warn({ err: error }, "the store could not be asked about answers of other processes");
      return false;
    }
  }

  /** Takes a question. False if it is not going to be answered. */
  ask(place: Place, question: Question): boolean {
    return this.#use(place, (lane) => lane.ask(question));
  }

  /** Takes a question that another process has left. */
  resume({ place, question, kept }: LeftQuestion): void {
    this.#use(place, (lane) => lane.resume(question, kept));
  }

  /** Stops and forgets what was asked in a place before an update, and then does something before all else. */
  interject(place: Place, reason: string, updateId: number, errand: () => Promise<void>): Promise<void> {
    return this.#use(place, (lane) => lane.interject(reason, updateId, errand));
  }

  #use<T>(place: Place, use: (lane: Lane) => T): T {
    const name = nameOf(place);
    const lane = this.#lanes.get(name) ?? new Lane(place, this.#parts);
    if (this.#closedBy !== undefined) lane.close(this.#closedBy);
    const result = use(lane);
    if (lane.isBusy && !this.#lanes.has(name)) {
      this.#lanes.set(name, lane);
      void this.#forgetWhenIdle(name, lane);
    }
    return result;
  }

  async #forgetWhenIdle(name: string, lane: Lane): Promise<void> {
    // It can be asked again in the very moment in which it has become idle.
    while (lane.isBusy) await lane.idle();
    this.#lanes.delete(name);
  }

  /** Stops and forgets what was asked in a place before an update. False if there is nothing. */
  stop(place: Place, reason: string, updateId: number): boolean {
    return this.#lanes.get(nameOf(place))?.stop(reason, updateId) ?? false;
  }

  /** Stops everything, also what waits and what is asked from now on. Whoever asked is told. */
  close(reason: string): void {
    this.#closedBy = reason;
    for (const lane of this.#lanes.values()) lane.close(reason);
  }

  /** Fulfilled when all of it has been said. */
  async idle(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
  }
}
