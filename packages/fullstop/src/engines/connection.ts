import { checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import { cancelledSignal, createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { Clock } from "../clock.ts";

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

/** The signal for the reason by which a connection was given up. */
export function givenUpSignal(reason: unknown): TerminationSignal {
  if (!(reason instanceof TimedOut)) return cancelledSignal();
  return createTerminationSignal({
    reason: "error_termination",
    detail: "timeout",
    originalField: "timeout",
    originalValue: reason.limit,
    message: reason.message,
    metadata: { milliseconds: reason.milliseconds },
  });
}

/** The life of one exchange with a server: it ends when the caller wants, when time is up, or when it is closed. */
export interface Connection {
  /** Fires when the caller or the clock has put an end to it. */
  readonly ended: AbortSignal;
  /** Fires as soon as nothing more is wanted from the server, for whatever reason. */
  readonly socket: AbortSignal;
  /** Starts the time for the whole exchange and follows the caller's signal. */
  open(): void;
  /** Waits for the server, and not longer than it may take. The time of those who read the answer does not count. */
  wait<T>(limit: "firstByteMilliseconds" | "silenceMilliseconds", answer: Promise<T>): Promise<T>;
  /** Stops all clocks and follows nobody any more. */
  close(): void;
  /** Gives the server up. */
  giveUp(): void;
}

/** Creates the connection for one exchange. Nothing runs before it is opened. */
export function createConnection(caller: AbortSignal, limits: Limits, clock: Clock): Connection {
  const ended = new AbortController();
  const socket = new AbortController();
  const end = (reason: unknown): void => {
    ended.abort(reason);
    socket.abort(reason);
  };
  const follow = (): void => end(caller.reason);
  const startLimit = (limit: keyof Timeouts): (() => void) => {
    const milliseconds = limits[limit];
    if (milliseconds === Infinity) return () => undefined;
    return clock.after(milliseconds, () => end(new TimedOut(limit, milliseconds)));
  };
  let stopTotal: (() => void) | undefined;
  return {
    ended: ended.signal,
    socket: socket.signal,
    open() {
      caller.addEventListener("abort", follow, { once: true });
      stopTotal = startLimit("totalMilliseconds");
    },
    async wait(limit, answer) {
      const stop = startLimit(limit);
      try {
        return await answer;
      } finally {
        stop();
      }
    },
    close() {
      caller.removeEventListener("abort", follow);
      stopTotal?.();
    },
    giveUp: () => socket.abort(),
  };
}
