import { checkRequest } from "../check-request.ts";
import type { TokenCount } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { Clock } from "../clock.ts";
import type { GenerationRequest } from "../request.ts";
import { REMOTE_NAMES } from "../request-names.ts";
import type { Sink, Stage } from "../stage.ts";
import { createTerminationSignal, truncatedSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { WireFormatName } from "../wire/format.ts";
import { parseJson, recordOf, wellFormedJson } from "../wire/json.ts";
import type { JsonRecord } from "../wire/json.ts";
import { AnswerPipe } from "./answer-pipe.ts";
import { createConnection } from "./connection.ts";
import type { Limits } from "./connection.ts";
import { refusedSignal } from "./failures.ts";
import type { Fetch } from "./fetch.ts";
import type { Provider } from "./provider.ts";
import { receive } from "./receive.ts";
import type { Call } from "./receive.ts";
import { withHeaders } from "./routes.ts";
import type { ProviderHeaders } from "./routes.ts";
import { secretsOf, withoutSecrets } from "./secrets.ts";

/** How a dialect is asked for the number of tokens of a request. */
interface Counter {
  /** What follows the base URL, with `{model}` for the model's name. */
  readonly path: string;
  /** Makes a question about a request's body; what belongs to the answer only is refused there. */
  readonly ask: (body: JsonRecord, model: string) => JsonRecord;
  /** The field of the answer. */
  readonly field: string;
}

/** The dialects that have an address for it. */
const COUNTERS: Readonly<Partial<Record<WireFormatName, Counter>>> = {
  "anthropic-messages": {
    path: "/messages/count_tokens",
    ask: (body) =>
      pick(body, [
        "model",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        // Tools can be those of a server that stands here, and be refused without it.
        "mcp_servers",
        "context_management",
      ]),
    field: "input_tokens",
  },
  "openai-responses": {
    path: "/responses/input_tokens",
    ask: (body) =>
      pick(body, [
        "model",
        "input",
        "instructions",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "reasoning",
        "text",
      ]),
    field: "input_tokens",
  },
  gemini: {
    path: "/models/{model}:countTokens",
    ask: (body, model) => ({ generateContentRequest: { ...body, model: `models/${model}` } }),
    field: "totalTokens",
  },
};

/** The most characters that are read of an answer which is nothing but a number. */
const MOST_CHARACTERS = 1_048_576;

/** How a provider is asked; undefined if it cannot be, or if nobody knows where. */
export function counterOf({ format, path }: Provider): Counter | undefined {
  return path === undefined ? COUNTERS[format.name] : undefined;
}

/** What it takes to ask a provider for a number. */
export interface CountSetup {
  readonly provider: Provider;
  readonly counter: Counter;
  readonly headers: () => Promise<ProviderHeaders>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly limits: Limits;
}

/** Asks a provider how many tokens a request has. Whatever goes wrong is the result. */
export async function countRemotely(
  setup: CountSetup,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<TokenCount> {
  const { provider, counter, fetch, clock, limits } = setup;
  try {
    checkRequest(request, REMOTE_NAMES);
  } catch (error) {
    return { failure: refusedSignal(error) };
  }
  let secrets: readonly string[] = [];
  const prepare = async (): Promise<Call> => {
    const headers = await setup.headers();
    secrets = secretsOf(headers);
    const model = request.model.replace(/^models\//u, "");
    const end = counter.path.replace("{model}", () => encodeURIComponent(model));
    const encoded = provider.format.encodeRequest({ ...request, stream: false });
    return {
      url: provider.baseUrl.replace(/\/+$/u, "") + end,
      headers: withHeaders(headers, encoded.headers),
      body: wellFormedJson(counter.ask(encoded.body, model)),
    };
  };
  const pipe = new AnswerPipe({
    // An error comes as it does where an answer was asked for.
    decode: (status) => (status >= 400 ? provider.format.decodeStream({ status }) : decodeCount(counter)),
    clean: (finish) => withoutSecrets(finish, secrets),
    stage: (next) => next,
  });
  let inputTokens: number | undefined;
  let failure = truncatedSignal();
  const exchange = { connection: createConnection(signal, limits, clock), clock, fetch, prepare, pipe };
  await receive(exchange, (events) => {
    for (const event of events) {
      if (event.type === "usage") inputTokens = event.usage.inputTokens;
      else if (event.type === "finish") failure = event.signal;
    }
    return undefined;
  });
  return inputTokens === undefined ? { failure } : { inputTokens };
}

/** Reads a body that says how many tokens a prompt has, and says so as an answer would. */
function decodeCount({ field }: Counter): Stage<Uint8Array, GenerationEvent> {
  return (next: Sink<GenerationEvent>) => {
    const decoder = new TextDecoder();
    let text = "";
    return {
      push(bytes) {
        text += decoder.decode(bytes, { stream: true });
        if (text.length > MOST_CHARACTERS) next.push({ type: "finish", signal: notCounted(field) });
      },
      end() {
        const inputTokens = recordOf(parseJson(text))[field];
        const isCount = typeof inputTokens === "number" && Number.isSafeInteger(inputTokens) && inputTokens >= 0;
        if (isCount) next.push({ type: "usage", usage: { inputTokens, outputTokens: 0 } });
        next.push({ type: "finish", signal: isCount ? counted(field) : notCounted(field) });
        next.end();
      },
    };
  };
}

function counted(field: string): TerminationSignal {
  return createTerminationSignal({ reason: "natural_completion", originalField: field, originalValue: "" });
}

function notCounted(field: string): TerminationSignal {
  return createTerminationSignal({
    reason: "error_termination",
    detail: "not_an_answer",
    originalField: field,
    originalValue: "",
    message: "The provider did not say how many tokens the request has",
    metadata: { status: 502 },
  });
}

function pick(body: JsonRecord, names: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}
