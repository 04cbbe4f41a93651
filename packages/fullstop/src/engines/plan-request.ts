import { checkRequest } from "../check-request.ts";
import { invalidArgument } from "../errors.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import { REMOTE_NAMES } from "../request-names.ts";
import { compose } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { arePlainStops } from "../stop/plain-stops.ts";
import { compileRules } from "../stop/request-rules.ts";
import type { RequestRules } from "../stop/request-rules.ts";
import { markTextCalls, textToolsOf } from "../text-tools.ts";
import type { WireWarning } from "../wire/format.ts";
import { defineCut } from "./cut.ts";
import type { Provider } from "./provider.ts";

/** Stop rules that can be applied to what a provider sends, which is text without the ids of its tokens. */
export type RemoteRules = Omit<RequestRules, "stopTokenIds" | "ignoreEos">;

/** What a provider can be asked beyond what every engine understands. */
export interface RemoteRequest extends GenerationRequest {
  /** Stop rules beyond `stop` and `maxOutputTokens`, such as `repetition`, `maxCharacters`, `caseInsensitive`. */
  readonly rules?: RemoteRules | undefined;
  /** Told of whatever in this request the provider's dialect cannot say, when it is sent. */
  readonly onWarning?: ((warning: WireWarning) => void) | undefined;
}

/** A request as it is sent, and what its answer goes through before anybody sees it. */
export interface PlannedRequest {
  readonly request: GenerationRequest;
  /** Whether the provider was asked to stop at strings. */
  readonly hadStopStrings: boolean;
  /** Absent where there is nothing to be done. */
  readonly stage: Stage<GenerationEvent, GenerationEvent> | undefined;
}

/** The rules that need the ids of tokens. */
const BY_TOKEN = ["stopTokenIds", "ignoreEos"] as const;

/** Divides a request between the provider and us. Refuses one that is none. */
export function planRequest(provider: Provider, asked: RemoteRequest): PlannedRequest {
  checkRequest(asked, REMOTE_NAMES);
  const { onWarning: _, rules = {}, stop = [], stream = true, ...others } = asked;
  for (const name of BY_TOKEN) {
    if (name in rules) throw invalidArgument("rules", `cannot have ${name}: a provider tells no token ids`, rules);
  }
  const request = { stream, ...others };
  // A server that applies them as we do may have settings for them that are unknown here, such as to show the match.
  const { appliesStopStrings: isTheirs = false } = provider;
  const sent = isTheirs ? stop : arePlainStops(rules) ? stopsToSend(provider, stop) : [];
  const own = isTheirs ? [] : stop;
  const isGuarded = own.length > 0 || asked.rules !== undefined;
  const cut = isGuarded ? defineCut(compileRules(rules, { stop: own }), request) : undefined;
  const textTools = textToolsOf(asked);
  const mark = textTools.size > 0 ? markTextCalls(textTools) : undefined;
  return {
    request: sent.length === 0 ? request : { stop: sent, ...request },
    hadStopStrings: sent.length > 0,
    stage: mark !== undefined && cut !== undefined ? compose(mark, cut) : (mark ?? cut),
  };
}

/**
 * The strings for the provider to watch as well, which are those of Anthropic: it says which one it was. All of them are
 * watched here, so that there may be any number, none is shown, and it is known which has matched. Handing them on to
 * anybody else costs that knowledge, and a refusal by models that think. In a stream it gains nothing, because that is
 * closed at a match; of an answer that comes whole it would save what is written behind one, but an answer has to be the
 * same either way, and whoever wants to save that can stream.
 */
function stopsToSend({ format }: Provider, stop: readonly string[]): readonly string[] {
  // Anthropic refuses strings of blanks alone.
  return format.name === "anthropic-messages" ? stop.filter((text) => text.trim() !== "") : [];
}
