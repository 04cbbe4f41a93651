import { checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import { cancelledSignal, createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { Clock } from "../clock.ts";
import { toDetail } from "../seal.ts";
import { networkSignal } from "./failures.ts";

/** How long to wait for a provider, in milliseconds; Infinity is without end. */
export interface Timeouts {
  /** For the answer to begin. */
  readonly firstByteMilliseconds?: number | undefined;
  /** For the next byte, whatever it is: also a comment that only says that the server lives. */
  readonly silenceMilliseconds?: number | undefined;
  /** For all of it. */
  readonly totalMilliseconds?: number | undefined;
}

/** The time-outs with all their defaults. */
export type Limits = { readonly [Name in keyof Timeouts]-?: number };

/** The time-outs that hold where none are given. Models that think first may be silent for minutes. */
export const DEFAULT_TIMEOUTS: Limits = {
  firstByteMilliseconds: 600_000,
  silenceMilliseconds: 300_000,
  totalMilliseconds: Infinity,
};

const TIMEOUT_NAMES: Readonly<Record<keyof Timeouts, true>> = {
  firstByteMilliseconds: true,
  silenceMilliseconds: true,
  totalMilliseconds: true,
};

const SENTENCES: Readonly<Record<keyof Timeouts, string>> = {
  firstByteMilliseconds: "The provider did not begin to answer in time",
  silenceMilliseconds: "The provider fell silent",
  totalMilliseconds: "The answer took too long",
};

/** The time-outs with their defaults. */
export function limitsOf(timeouts: Timeouts): Limits {
  checkNames("timeouts", timeouts, TIMEOUT_NAMES);
  for (const [name, value] of Object.entries(timeouts)) {
    if (value !== undefined && !(typeof value === "number" && value > 0)) {
      throw invalidArgument(name, "must be a number of milliseconds above 0", value);
    }
  }
  const { firstByteMilliseconds: first, silenceMilliseconds: silence, totalMilliseconds: total } = timeouts;
  return {
    firstByteMilliseconds: first ?? DEFAULT_TIMEOUTS.firstByteMilliseconds,
    silenceMilliseconds: silence ?? DEFAULT_TIMEOUTS.silenceMilliseconds,
    totalMilliseconds: total ?? DEFAULT_TIMEOUTS.totalMilliseconds,
  };
}

/** Why a connection was given up. */
class TimedOut extends Error {
  readonly limit: keyof Timeouts;
  readonly milliseconds: number;

  constructor(limit: keyof Timeouts, milliseconds: number) {
    super(SENTENCES[limit]);
    this.limit = limit;
    this.milliseconds = milliseconds;
  }
}

/** The signal for the reason by which a connection was given up: the clock's, or the caller's. */
function givenUpSignal(reason: unknown): TerminationSignal {
  if (!(reason instanceof TimedOut)) return cancelledSignal(toDetail(reason));
  return createTerminationSignal({
    reason: "error_termination",
    detail: "timeout",
    originalField: "timeout",
    originalValue: reason.limit,
    message: reason.message,
    metadata: { milliseconds: reason.milliseconds },
  });
}

/** Why there is no answer, or no more of it. */
export interface Failure {
  readonly failure: TerminationSignal;
}

/** The time that something may take, as it runs. */
export interface Watch {
  /** Lets it run from its beginning. */
  readonly start: () => void;
  readonly stop: () => void;
}

/** The life of one exchange with a server: it ends when the caller wants, when time is up, or when it is closed. */
export interface Connection {
  /** Fires as soon as nothing more is wanted from the server, for whatever reason. */
  readonly socket: AbortSignal;
  /** Starts the time for the whole exchange and follows the caller's signal. */
  open(): void;
  /**
   * Asks the server for something and waits for it, not longer than it may take and not longer than the caller wants
   * it. The watch runs when `start` is called; where parts of it come one by one, each can start it anew, and it can
   * stand still for those who read them. What `start` promises and does not keep is a failure of the network.
   */
  wait<T extends object>(
    start: (watch: Watch) => Promise<T>,
    limit?: "firstByteMilliseconds" | "silenceMilliseconds",
  ): Promise<T | Failure>;
  /** Stops all clocks and follows nobody any more. */
  close(): void;
  /** Gives the server up, and whatever is waited for. */
  giveUp(): void;
}

/** Creates the connection for one exchange. Nothing runs before it is opened. */
export function createConnection(caller: AbortSignal, limits: Limits, clock: Clock): Connection {
  const socket = new AbortController();
  let ended: Failure | undefined;
  let wake: ((failure: Failure) => void) | undefined;
  const end = (reason: unknown): void => {
    ended ??= { failure: givenUpSignal(reason) };
    wake?.(ended);
    socket.abort(reason);
  };
  const follow = (): void => end(caller.reason);
  const startLimit = (limit: keyof Timeouts): (() => void) | undefined => {
    const milliseconds = limits[limit];
    if (milliseconds === Infinity) return undefined;
    return clock.after(milliseconds, () => end(new TimedOut(limit, milliseconds)));
  };
  let stopTotal: (() => void) | undefined;
  return {
    socket: socket.signal,
    open() {
      if (caller.aborted) {
        follow();
        return;
      }
      caller.addEventListener("abort", follow, { once: true });
      stopTotal = startLimit("totalMilliseconds");
    },
    wait<T>(start: (watch: Watch) => Promise<T>, limit?: keyof Timeouts) {
      if (ended !== undefined) return Promise.resolve(ended);
      return new Promise<T | Failure>((resolve) => {
        let isSettled = false;
        let stop: (() => void) | undefined;
        const watch = {
          start: () => {
            if (limit !== undefined && !isSettled) stop = startLimit(limit);
          },
          stop: () => stop?.(),
        };
        const settle = (result: T | Failure): void => {
          isSettled = true;
          watch.stop();
          resolve(result);
        };
        wake = settle;
        watch.start();
        const answer = start(watch);
        // Whoever was handed the caller's signal often answers an abort by an error; that is not the network's failure.
        answer.then(settle, (error: unknown) => settle(ended ?? { failure: networkSignal(error) }));
      });
    },
    close() {
      caller.removeEventListener("abort", follow);
      stopTotal?.();
    },
    giveUp: () => end(undefined),
  };
}
