import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Middleware,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { checkCount, checkFunction, checkNames } from "../../check.ts";
import { definePolicy } from "../../decide/policy.ts";
import { invalidArgument } from "../../errors.ts";
import { STOP_RULE_NAMES, defineStopRules } from "../../stop/stop-rules.ts";
import type { StopRuleOptions } from "../../stop/stop-rules.ts";
import { tell } from "../tell.ts";
import type { FinishedModelCall } from "./finished-call.ts";
import { GuardedCall } from "./guarded-call.ts";

import { prepareCall } from "./prepare-call.ts";
import type { Transport } from "./prepare-call.ts";
import { collectAnswer, toStreamResult } from "./whole-answer.ts";

/** Options of {@link createStopMiddleware}: stop rules, and how calls are made. */
export interface StopMiddlewareOptions extends StopRuleOptions {
  /**
   * How the model is asked for whole answers, as `generateText` does. `"streamed"`, the default, asks for a stream and
   * puts it together: so a rule closes the connection instead of cutting what is paid for, and an abort keeps what came.
   * `"whole"` is for models that do not stream.
   */
  readonly generate?: Transport | undefined;
  /** How often a turn that the provider has paused (`pause_turn`) is sent back to it. 0 for never. Default 10. */
  readonly maxResumes?: number | undefined;
  /**
   * Told once of each model call how it ended and what came of it, after an abort or a failure too. It is not waited
   * for, and one that fails is only warned of.
   */
  readonly onFinish?: ((call: FinishedModelCall) => unknown) | undefined;
}

/** A middleware for `wrapLanguageModel` that ends answers by rules. */
export interface StopMiddleware extends LanguageModelV4Middleware {
  readonly wrapGenerate: NonNullable<LanguageModelV4Middleware["wrapGenerate"]>;
  readonly wrapStream: NonNullable<LanguageModelV4Middleware["wrapStream"]>;
  /** The last model call that has ended. With several at a time use `onFinish`. */
  readonly lastCall: FinishedModelCall | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof StopMiddlewareOptions, true>> = {
  generate: true,
  maxResumes: true,
  onFinish: true,
  ...STOP_RULE_NAMES,
};

const TRANSPORTS: readonly Transport[] = ["streamed", "whole"];

/**
 * Creates a middleware for the AI SDK with which a model stops by these rules: at strings of any number, in loops, at
 * limits. The connection to the provider is closed at that point. Every ending is told in full in
 * `providerMetadata.fullstop`, an answer that broke off is never `stop`, a turn that Anthropic has paused goes on by
 * itself, and what came before an abort is kept.
 *
 * ```ts
 * const middleware = createStopMiddleware({ stop: ["</answer>"], repetition: true });
 * const model = wrapLanguageModel({ model: openai("gpt-4.1"), middleware });
 * ```
 */
export function createStopMiddleware(options: StopMiddlewareOptions = {}): StopMiddleware {
  // All names at once: a misspelt `onFinish` is not to be told the names of stop rules only.
  checkNames("stop middleware options", options, OPTION_NAMES);
  const { generate = "streamed", maxResumes, onFinish, ...given } = options;
  if (!TRANSPORTS.includes(generate))
    throw invalidArgument("generate", `must be one of ${TRANSPORTS.join(", ")}`, generate);
  checkCount("maxResumes", maxResumes, 0);
  checkFunction("onFinish", onFinish);
  const common = { given, compiled: defineStopRules(given) };
  const policy = definePolicy({ bounds: { resume: maxResumes } });
  let lastCall: FinishedModelCall | undefined;

  const open = (model: LanguageModelV4, asked: LanguageModelV4CallOptions, transport: Transport): GuardedCall =>
    new GuardedCall({
      model,
      call: prepareCall(asked, model.provider, transport, common),
      open: async (sent) =>
        transport === "streamed" ? model.doStream(sent) : toStreamResult(await model.doGenerate(sent)),
      policy,
      onEnd(call) {
        lastCall = call;
        if (onFinish !== undefined) tell(() => onFinish(call));
      },
    });

  return {
    specificationVersion: "v4",
    async wrapStream({ model, params }) {
      const call = open(model, params, "streamed");
      const opened = await call.start();
      return { ...opened, stream: toStream(call) };
    },
    wrapGenerate: async ({ model, params }) =>
      collectAnswer(open(model, params, generate), params.responseFormat?.type === "json"),
    get lastCall() {
      return lastCall;
    },
  };
}

/** The parts of a call as a stream. Reading it reads the provider's; leaving it closes the provider's. */
function toStream(call: GuardedCall): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        let parts: readonly LanguageModelV4StreamPart[] = [];
        while (parts.length === 0) parts = await call.next();
        for (const part of parts) controller.enqueue(part);
        if (call.end !== undefined) controller.close();
      },
      cancel: (reason) => call.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
