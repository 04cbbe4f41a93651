import type { GenerationEvent, GenerationRequest, TerminationSignal, Usage } from "fullstop";
import type { GenerationPhase } from "fullstop/control";
import type { TraceHeaders } from "./trace-headers.ts";

/** Whom a generation asks: a provider, and what the model is called there. */
export interface Asked {
  readonly provider: string;
  readonly model: string;
}

/** What is known of a generation when it starts. */
export interface GenerationStart {
  readonly id: string;
  readonly owner: string;
  /** The request as it came. Its `model` is the name that the caller knows. */
  readonly request: GenerationRequest;
  /** Whom it asks first, and whom instead. */
  readonly targets: readonly Asked[];
  /** The headers by which the caller's trace goes on here; none if it has none. */
  readonly trace?: TraceHeaders | undefined;
}

/** A stop that somebody has asked for. */
export interface StopOrder {
  readonly mode: "stop" | "finish-sentence";
  /** Who or what asked, such as `user` or `disconnect`. */
  readonly detail: string;
  /** What the generation was doing when the order came. */
  readonly phase: GenerationPhase;
  /** How long it took from the order to the end. */
  readonly latencyMilliseconds: number;
}

/** What is known of a generation when it has ended. */
export interface GenerationEnd {
  readonly signal: TerminationSignal;
  readonly usage: Usage | undefined;
  /** All of its events, the finish included. What people and models have written is in them. */
  readonly events: readonly GenerationEvent[];
  /** Whom it asked last. */
  readonly asked: Asked;
  /** Everybody it asked in vain, the last one included. */
  readonly failures: readonly (Asked & { readonly signal: TerminationSignal })[];
  readonly durationMilliseconds: number;
  /** Until the first thinking, text or call; undefined if there was none. */
  readonly firstOutputMilliseconds: number | undefined;
  /** The order that it got while it ran. It may have come to its own end all the same. */
  readonly order: StopOrder | undefined;
}

/** What an observer does about one generation. */
export interface GenerationWatch {
  /** Runs whatever asks the models. Does so exactly once, and returns what that returns. */
  run<T>(ask: () => T): T;
  /** Text was held back for so long, because a stop string might have begun with it. */
  heldBack(milliseconds: number): void;
  ended(end: GenerationEnd): void;
}

/** Hears of every generation when it starts and when it ends, and never in between, where time is dear. */
export interface GenerationObserver {
  started(start: GenerationStart): GenerationWatch;
}

/** A watch that does nothing, to be filled in by those who do something. */
export const NO_WATCH: GenerationWatch = {
  run: (ask) => ask(),
  heldBack: () => undefined,
  ended: () => undefined,
};

/** An observer that does not look. */
export const NO_OBSERVER: GenerationObserver = { started: () => NO_WATCH };

/**
 * Makes one observer of several. One that throws is left out from there on and reported: whoever only looks must not
 * be able to break a generation.
 */
export function observeWith(
  observers: readonly GenerationObserver[],
  report: (error: unknown) => void,
): GenerationObserver {
  const attempt = <T>(act: () => T, otherwise: T): T => {
    try {
      return act();
    } catch (error) {
      report(error);
      return otherwise;
    }
  };
  return {
    started(start) {
      const watches = observers.map((observer) => attempt(() => observer.started(start), NO_WATCH));
      return {
        run: (ask) => watches.reduce((inner, watch) => () => watch.run(inner), ask)(),
        heldBack(milliseconds) {
          for (const watch of watches) attempt(() => watch.heldBack(milliseconds), undefined);
        },
        ended(end) {
          for (const watch of watches) attempt(() => watch.ended(end), undefined);
        },
      };
    },
  };
}
