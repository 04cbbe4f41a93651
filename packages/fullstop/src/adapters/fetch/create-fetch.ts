import { checkFunction, checkNames } from "../../check.ts";
import { networkSignal } from "../../engines/failures.ts";
import { FullstopError, invalidArgument } from "../../errors.ts";
import type { Usage } from "../../events.ts";
import { defineGuard } from "../../stop/guard.ts";
import { STOP_RULE_NAMES, defineStopRules } from "../../stop/stop-rules.ts";
import type { StopRuleOptions } from "../../stop/stop-rules.ts";
import { truncatedSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { WIRE_FORMATS } from "../../wire/formats.ts";
import { tell } from "../tell.ts";
import { EDITORS } from "./dialects/editors.ts";
import { abortOf, openGuardedBody } from "./guarded-body.ts";
import { prepareCall, refuseCall, withBody } from "./outgoing-call.ts";
import type { OutgoingCall } from "./outgoing-call.ts";
import { GUARDED_FORMATS, isRequest, recogniseRequest } from "./recognise-request.ts";
import type { FetchInput, GuardedFormat } from "./recognise-request.ts";
import { MAX_EVENT_SIZE } from "./payload-reader.ts";
import { WatchedAnswer } from "./watched-answer.ts";

/** A call that has ended. */
export interface FinishedCall {
  readonly url: string;
  readonly format: GuardedFormat;
  /** Whether a stream was asked for. */
  readonly isStream: boolean;
  /** The HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  /** The last counts that the provider has told. Where a rule has ended the answer they may be behind it. */
  readonly usage: Usage | undefined;
}

/** Options of {@link createFetch}: stop rules, and how requests are sent. */
export interface GuardedFetchOptions extends StopRuleOptions {
  /** Sends requests. Default: the global `fetch`, as it is at each call. */
  readonly fetch?: ((input: FetchInput, init?: RequestInit) => Promise<Response>) | undefined;
  /**
   * The dialect of every request for an answer, whatever its address. Default: told by the end of the address, such as
   * `/chat/completions`. What is no such request passes as it is.
   */
  readonly format?: GuardedFormat | undefined;
  /** Told once of each call how it ended. It is not waited for, and one that fails is only warned of. */
  readonly onFinish?: ((signal: TerminationSignal, call: FinishedCall) => unknown) | undefined;
}

/** A `fetch` that ends answers by rules. */
export interface GuardedFetch {
  (input: FetchInput, init?: RequestInit): Promise<Response>;
  /** How the last call ended that has ended. With several calls at a time use `onFinish` or `signalOf`. */
  readonly lastSignal: TerminationSignal | undefined;
  /**
   * How the answer in a response ended, once it has been read to its end; undefined for a response that holds no answer
   * of this `fetch`.
   */
  signalOf(response: Response): Promise<TerminationSignal> | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof GuardedFetchOptions, true>> = {
  fetch: true,
  format: true,
  onFinish: true,
  ...STOP_RULE_NAMES,
};

/**
 * Creates a `fetch` for a provider's own client, which then stops by these rules: at strings of any number, in loops, at
 * limits. The connection to the provider is closed at that point, and the answer ends as the provider would end it. An
 * answer that no rule ends arrives as it was sent, to the byte.
 *
 * ```ts
 * const client = new OpenAI({ fetch: createFetch({ stop: ["</answer>"], repetition: true }) });
 * ```
 */
export function createFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  // All names at once: a misspelt `onFinish` is not to be told the names of stop rules only.
  checkNames("fetch options", options, OPTION_NAMES);
  const { fetch: send = sendByDefault, format, onFinish, ...rules } = options;
  checkFunction("fetch", options.fetch);
  checkFunction("onFinish", onFinish);
  if (format !== undefined && !GUARDED_FORMATS.includes(format)) {
    throw invalidArgument("format", `must be one of ${GUARDED_FORMATS.join(", ")}`, format);
  }
  const common = { given: rules, compiled: defineStopRules(rules) };
  const signals = new WeakMap<Response, Promise<TerminationSignal>>();
  const guardedFetch = async (input: FetchInput, init?: RequestInit): Promise<Response> => {
    const call = await recogniseRequest(input, init, format);
    if (call === undefined) return send(input, init);
    let sent: OutgoingCall;
    try {
      sent = prepareCall(call, input, init, common);
    } catch (error) {
      if (error instanceof FullstopError) return refuseCall(call, error);
      throw error;
    }

    let answer: Response | undefined;
    let resolveSignal: ((signal: TerminationSignal) => void) | undefined;
    const signal = new Promise<TerminationSignal>((resolve) => (resolveSignal = resolve));
    const end = (ending: TerminationSignal, usage?: Usage): void => {
      guarded.lastSignal = ending;
      resolveSignal?.(ending);
      const { url, isStream } = call;
      const status = answer?.status;
      if (onFinish !== undefined) tell(() => onFinish(ending, { url, format: call.format, isStream, status, usage }));
    };
    const caller = init?.signal ?? (isRequest(input) ? input.signal : undefined);
    try {
      answer = await send(sent.input, sent.init);
    } catch (error) {
      end(abortOf(caller) ?? networkSignal(error));
      throw error;
    }
    const { status } = answer;
    if (answer.body === null) {
      end(truncatedSignal());
      signals.set(answer, signal);
      return answer;
    }
    // What was refused is no answer, and its body is the provider's to write.
    const isRefused = status >= 400;
    const { hasStopStrings: hadStopStrings } = sent;
    const decode = WIRE_FORMATS[call.format].decodeStream({ status, hadStopStrings, maxEventSize: MAX_EVENT_SIZE });
    const body = openGuardedBody({
      body: answer.body,
      watched: new WatchedAnswer(decode, isRefused ? (next) => next : defineGuard(sent.rules)),
      editor: isRefused ? undefined : EDITORS[call.format],
      expected: call.isStream ? "stream" : "document",
      signal: caller,
      onEnd: end,
    });
    const response = withBody(answer, body, isRefused);
    signals.set(response, signal);
    return response;
  };

  const extras: { -readonly [Name in keyof GuardedFetch]: GuardedFetch[Name] } = {
    lastSignal: undefined,
    signalOf: (response) => signals.get(response),
  };
  const guarded = Object.assign(guardedFetch, extras);
  return guarded;
}

/** The global `fetch` is looked up when it is needed: others may put one of their own in its place. */
function sendByDefault(input: FetchInput, init?: RequestInit): Promise<Response> {
  return fetch(input, init);
}
