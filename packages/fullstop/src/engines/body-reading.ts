import type { Clock } from "../clock.ts";
import type { Take } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { AnswerPipe } from "./answer-pipe.ts";
import type { Connection, Watch } from "./connection.ts";
import { mistakeSignal } from "./failures.ts";
import type { Body } from "./fetch.ts";

/** How long and how much to read on after the end of an answer. */
const DRAIN_MILLISECONDS = 1_000;
const DRAIN_BYTES = 65_536;

/** What has to do with the body of an answer. */
export interface BodyReadingParts {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly pipe: AnswerPipe;
}

/** How a body was read: to its end, or not beyond the finish of the answer. */
export interface BodyRead {
  readonly isWhole: boolean;
}

/** How far a body has come: its answer is read, the rest of it is dropped, or nothing more comes. */
type Progress = "reading" | "left" | "over";

/** The way of a body through its pipe to whoever takes the events. */
export class BodyReading {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #pipe: AnswerPipe;
  readonly #take: Take<readonly GenerationEvent[]>;
  #progress: Progress = "reading";
  #unwantedBytes = 0;
  #stopDraining: (() => void) | undefined;

  constructor({ connection, clock, pipe }: BodyReadingParts, take: Take<readonly GenerationEvent[]>) {
    this.#connection = connection;
    this.#clock = clock;
    this.#pipe = pipe;
    this.#take = take;
  }

  /** Reads a body until its answer has ended. The watch runs while the server is waited for. */
  read(body: Body, watch: Watch): Promise<BodyRead> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        resolve({ isWhole: false });
        // At once, before the body is asked for more.
        this.leave();
      };
      const notTaken = (error: unknown): void => {
        this.#pipe.fail(mistakeSignal(error));
        leave();
      };
      const takeBytes: Take<Uint8Array> = (bytes) => {
        if (this.#pipe.isFinished) return this.#drop(bytes);
        watch.stop();
        this.#pipe.push(bytes);
        const room = this.#handOn();
        if (this.#pipe.isFinished) leave();
        else if (room === undefined) watch.start();
        return room?.then(watch.start, notTaken);
      };
      const close = (): void => {
        this.#progress = "over";
        this.#stopDraining?.();
      };
      body
        .deliver(takeBytes)
        .finally(close)
        .then(() => resolve({ isWhole: true }), reject);
    });
  }

  /** Hands on the last of it, up to the finish. Nobody is left to be told of a failure to take that. */
  finish(): void {
    this.#handOn()?.catch(() => undefined);
  }

  /**
   * Leaves a body that was not read to its end. What little follows the end of an answer is still read, so that the
   * connection can serve the next request; closing it here would cost every request a new one.
   */
  leave(): void {
    if (this.#progress !== "reading") return;
    this.#progress = "left";
    if (!this.#pipe.isAnswered) this.#connection.giveUp();
    else this.#stopDraining = this.#clock.after(DRAIN_MILLISECONDS, () => this.#connection.giveUp());
  }

  /** Hands on whatever the pipe has ready. Whoever breaks on it is given nothing more but the finish that says so. */
  #handOn(): Promise<void> | undefined {
    const events = this.#pipe.take();
    if (events.length === 0) return undefined;
    try {
      return this.#take(events);
    } catch (error) {
      this.#pipe.fail(mistakeSignal(error));
      return undefined;
    }
  }

  #drop({ byteLength }: Uint8Array): undefined {
    this.#unwantedBytes += byteLength;
    if (this.#unwantedBytes > DRAIN_BYTES) this.#connection.giveUp();
  }
}
