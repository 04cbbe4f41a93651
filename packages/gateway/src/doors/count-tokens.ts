import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GenerationRequest, TerminationSignal, TokenCount } from "fullstop";
import { estimateInputTokens } from "fullstop/engines";
import { anthropicMessages, gemini, openaiResponses } from "fullstop/wire";
import type { WireFormat } from "fullstop/wire";
import { openRoutes } from "../access/caller-key.ts";
import type { Target } from "../models/model-router.ts";
import { decode, restOf, takeSettings } from "./answer.ts";
import type { House } from "./answer.ts";
import { readMessagesTarget } from "./door.ts";
import type { Door } from "./door.ts";
import { withReferredItems } from "./referred-items.ts";

/** An address at which clients of a dialect ask how many tokens a request has. */
interface CountDoor {
  readonly format: WireFormat;
  /** Makes the body of a request out of the body of such a question. */
  readonly toRequest: (body: object) => object;
  readonly target: Door["target"];
  readonly complete?: Door["complete"];
  readonly write: (tokens: number) => object;
}

const MESSAGES: CountDoor = {
  format: anthropicMessages,
  // A question about the prompt has no limit for the answer, on which requests insist.
  toRequest: (body) => ({ max_tokens: 1, ...body }),
  target: readMessagesTarget,
  write: (tokens) => ({ input_tokens: tokens }),
};

const RESPONSES: CountDoor = {
  format: openaiResponses,
  toRequest: (body) => body,
  complete: withReferredItems,
  target: () => ({}),
  write: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

const COUNT_METHOD = /:countTokens$/u;

const GEMINI: CountDoor = {
  format: gemini,
  // The question is the contents alone, or a whole request.
  toRequest(body) {
    const whole = "generateContentRequest" in body ? body.generateContentRequest : body;
    return typeof whole === "object" && whole !== null ? withoutModel(whole) : body;
  },
  target: (rest) => ({ model: rest.replace(COUNT_METHOD, "") }),
  write: (tokens) => ({ totalTokens: tokens }),
};

/** Adds the addresses at which clients of three dialects ask how many tokens a request has. */
export function addCountRoutes(app: FastifyInstance, house: House): void {
  app.post("/v1/messages/count_tokens", (request, reply) => answerCount(MESSAGES, house, request, reply));
  app.post("/v1/responses/input_tokens", (request, reply) => answerCount(RESPONSES, house, request, reply));
}

/** Whether a request at Gemini's address of models wants a count, which is said where others name the kind of answer. */
export function isGeminiCount(request: FastifyRequest): boolean {
  return COUNT_METHOD.test(restOf(request));
}

/** Answers Gemini's question for a count. */
export function answerGeminiCount(house: House, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  return answerCount(GEMINI, house, request, reply);
}

async function answerCount(
  { format, toRequest, complete, target, write }: CountDoor,
  house: House,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<object> {
  const visitor = house.gatekeeper.admit(request);
  const { body: given } = takeSettings(request.body);
  const body = complete === undefined ? given : await complete(house, request, given);
  const asked = typeof body === "object" && body !== null && !Array.isArray(body) ? toRequest(body) : body;
  const { request: whole } = decode(format, asked, target(restOf(request), request.headers));
  // How long an answer may be is nothing of the prompt, and a limit that was put there has no room for any thinking.
  const prompt = { ...whole, maxOutputTokens: undefined };
  house.gatekeeper.checkModel(visitor, prompt.model);
  const [first] = openRoutes(house.router.resolve(prompt.model), request, house.gatekeeper);
  const count = await countTokens(first, prompt, closeSignal(reply));
  if (count === "unknown") return { ...write(estimateInputTokens(prompt)), fullstop: { estimated: true } };
  if ("inputTokens" in count) return write(count.inputTokens);
  const { status, body: error } = format.encodeError(count.failure);
  reply.code(status);
  return error;
}

async function countTokens(
  target: Target | undefined,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<TokenCount | "unknown"> {
  const count = await target?.engine.countTokens?.({ ...request, model: target.model }, signal);
  if (count === undefined) return "unknown";
  return "failure" in count && isUnknownThere(count.failure) ? "unknown" : count;
}

/** Servers that speak a dialect do not all have its address for counting. */
function isUnknownThere({ providerSpecific: { metadata } }: TerminationSignal): boolean {
  const status = metadata?.["status"];
  return status === 404 || status === 405 || status === 501;
}

/** Fires when whoever asked has left. */
function closeSignal({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.on("close", () => {
    if (!raw.writableFinished) left.abort("disconnect");
  });
  return left.signal;
}

function withoutModel(request: object): object {
  const { model: _, ...others } = request as { readonly model?: unknown };
  return others;
}
