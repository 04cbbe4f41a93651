import type { TokenCount } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { Clock } from "../clock.ts";
import type { GenerationRequest } from "../request.ts";
import { createTerminationSignal, truncatedSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { WireFormatName } from "../wire/format.ts";
import { parseJson, recordOf } from "../wire/json.ts";
import type { JsonRecord } from "../wire/json.ts";
import { createConnection, givenUpSignal } from "./connection.ts";
import type { Limits } from "./connection.ts";
import { mistakeSignal } from "./failures.ts";
import type { Provider } from "./provider.ts";
import { receive } from "./receive.ts";
import type { Fetch } from "./receive.ts";
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
    ask: (body) => pick(body, ["model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"]),
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

/** The most bytes of an answer that is nothing but a number, or an error. */
const MOST_BYTES = 1_048_576;

/** How a provider is asked; undefined if it cannot be, or if nobody knows where. */
export function counterOf({ format, path }: Provider): Counter | undefined {
  return path === undefined ? COUNTERS[format.name] : undefined;
}

/** What it takes to ask a provider for a number. */
export interface CountSetup {
  readonly provider: Provider;
  readonly counter: Counter;
  readonly headers: () => Promise<Headers>;
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
  const connection = createConnection(signal, limits, clock);
  let secrets: readonly string[] = [];
  const prepare = async () => {
    const headers = await setup.headers();
    secrets = secretsOf(Object.fromEntries(headers));
    const model = request.model.replace(/^models\//u, "");
    const end = counter.path.replace("{model}", () => encodeURIComponent(model));
    const body = counter.ask(provider.format.encodeRequest({ ...request, stream: false }).body, model);
    return { url: provider.baseUrl.replace(/\/+$/u, "") + end, headers, body: JSON.stringify(body) };
  };
  const failed = (failure: TerminationSignal): TokenCount => ({ failure: withoutSecrets(failure, secrets) });
  try {
    signal.throwIfAborted();
    let status = 200;
    let size = 0;
    const chunks: Uint8Array[] = [];
    for await (const received of receive({ connection, clock, fetch, prepare, isAnswered: () => false })) {
      if ("failure" in received) return failed(endOf(connection.ended) ?? received.failure);
      if ("status" in received) status = received.status;
      else {
        chunks.push(received);
        size += received.byteLength;
      }
      if (size > MOST_BYTES) break;
    }
    return readCount(setup, status, chunks, failed);
  } catch (error) {
    return failed(endOf(signal) ?? mistakeSignal(error));
  }
}

/** Why a signal was fired, if it was. */
function endOf({ aborted, reason }: AbortSignal): TerminationSignal | undefined {
  return aborted ? givenUpSignal(reason) : undefined;
}

function readCount(
  { provider, counter }: CountSetup,
  status: number,
  chunks: readonly Uint8Array[],
  failed: (failure: TerminationSignal) => TokenCount,
): TokenCount {
  if (status >= 400) {
    const events: GenerationEvent[] = [];
    const sink = provider.format.decodeStream({ status })({
      push: (event) => events.push(event),
      end: () => undefined,
    });
    for (const chunk of chunks) sink.push(chunk);
    sink.end();
    const last = events.at(-1);
    return failed(last?.type === "finish" ? last.signal : truncatedSignal());
  }
  const decoder = new TextDecoder();
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
  const inputTokens = recordOf(parseJson(text))[counter.field];
  if (typeof inputTokens === "number" && Number.isSafeInteger(inputTokens) && inputTokens >= 0) return { inputTokens };
  return failed(
    createTerminationSignal({
      reason: "error_termination",
      detail: "not_an_answer",
      originalField: counter.field,
      originalValue: "",
      message: "The provider did not say how many tokens the request has",
      metadata: { status: 502 },
    }),
  );
}

function pick(body: JsonRecord, names: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}
