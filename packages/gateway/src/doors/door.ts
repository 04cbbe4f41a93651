import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { anthropicMessages, gemini, openaiChat, openaiResponses } from "fullstop/wire";
import type { RequestTarget, WireFormat } from "fullstop/wire";
import { RequestError } from "../request-error.ts";
import { takeBackground } from "./background.ts";
import { asArray, asBareEvents } from "./framing.ts";
import type { Framing } from "./framing.ts";
import { withReferredItems } from "./referred-items.ts";
import { echoOf } from "./response-echo.ts";

/** A way into the gateway: the dialect that is spoken there, and its address. */
export interface Door {
  readonly format: WireFormat;
  readonly path: string;
  /** What the address and the headers say about a request, given what stands in place of the `*` in the path. */
  readonly target: (rest: string, headers: IncomingHttpHeaders) => RequestTarget;
  /** How a stream is to stand on the wire, given the query of the address. Default: as events. */
  readonly framing?: (query: unknown) => () => Framing;
  /** Takes out of a body whether it is to be answered while nobody waits. Default: it never is. */
  readonly takeBackground?: typeof takeBackground;
  /** Puts into a body what it only refers to. Default: nothing. */
  readonly complete?: typeof withReferredItems;
  /** What an answer repeats of its request. Default: nothing. */
  readonly echo?: typeof echoOf;
  /** Makes an id as clients of the dialect expect it. */
  readonly createId: () => string;
}

const withPrefix = (prefix: string) => (): string => `${prefix}${randomUUID().replaceAll("-", "")}`;

const saysNothing = (): RequestTarget => ({});

/** The four dialects, each at the address where its clients look for it. */
export const DOORS: readonly Door[] = [
  {
    format: openaiChat,
    path: "/v1/chat/completions",
    target: saysNothing,
    createId: withPrefix("chatcmpl-"),
  },
  {
    format: openaiResponses,
    path: "/v1/responses",
    target: saysNothing,
    takeBackground,
    complete: withReferredItems,
    echo: echoOf,
    createId: withPrefix("resp_"),
  },
  {
    format: anthropicMessages,
    path: "/v1/messages",
    target: readMessagesTarget,
    createId: withPrefix("msg_"),
  },
  {
    format: gemini,
    path: "/v1beta/models/*",
    target: readGeminiTarget,
    framing: (query) => (isRecord(query) && query["alt"] === "sse" ? asBareEvents : asArray),
    createId: withPrefix("gen_"),
  },
];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Where `models/` is missing in the address of a model. */
const WITHOUT_MODELS =
  /(?<=^\/v1beta\/)(?!models\/)(?=[^?]+:(?:generateContent|streamGenerateContent|countTokens)(?:\?|$))/u;

/**
 * The address of Gemini's door for an address without its `models/`: the AI SDK takes whatever has a slash in its name
 * for the whole path, and every `provider/model` has one. Other addresses stay as they are.
 */
export function withModels(address: string): string {
  return address.replace(WITHOUT_MODELS, "models/");
}

/** Gemini has the model and the kind of answer in its address: `some-model:streamGenerateContent`. */
function readGeminiTarget(rest: string): RequestTarget {
  const { model, method } = /^(?<model>.+):(?<method>generateContent|streamGenerateContent)$/u.exec(rest)?.groups ?? {};
  if (model === undefined) {
    throw new RequestError(
      "not_found",
      "A model is asked at models/{model}:generateContent, :streamGenerateContent or :countTokens",
    );
  }
  return { model, stream: method === "streamGenerateContent" };
}

/** Anthropic has what is still tried out asked for by name, in a header. */
export function readMessagesTarget(_rest: string, headers: IncomingHttpHeaders): RequestTarget {
  const names = [headers["anthropic-beta"] ?? ""].flat().flatMap((value) => value.split(","));
  return { betas: names.map((name) => name.trim()).filter((name) => name !== "") };
}
