/**
 * A worker at the edge, made of the library alone: it speaks Anthropic Messages to its callers, in front of any server
 * that speaks OpenAI's Chat Completions, and ends answers at any number of stop strings and in loops.
 *
 * A caller who leaves stops the answer: the connection to the server is closed.
 */
import { FullstopError, defineGuard, run, runGeneration } from "fullstop";
import type { GenerationRequest } from "fullstop";
import { createRemoteEngine, openaiCompatible } from "fullstop/engines";
import { anthropicMessages } from "fullstop/wire";

/** What the configuration of the worker sets. Without it, the gateway on this machine is asked. */
export interface Environment {
  readonly OPENAI_BASE_URL: string | null;
  readonly OPENAI_API_KEY: string | null;
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/v1/messages") {
      return Response.json({ error: "This is POST /v1/messages only." }, { status: 404 });
    }
    try {
      const asked = anthropicMessages.decodeRequest(await request.json()).request;
      return new Response(answer(asked, environment), { headers: { "content-type": "text/event-stream" } });
    } catch (error) {
      if (error instanceof FullstopError || error instanceof SyntaxError) {
        return Response.json({ error: error.message }, { status: 400 });
      }
      throw error;
    }
  },
};

/**
 * How often something is written while the model is silent. The runtime finds out that a caller has left when it
 * writes, and cancels the stream then.
 */
const PING_MILLISECONDS = 1000;
const PING = new TextEncoder().encode('event: ping\ndata: {"type": "ping"}\n\n');

/** The frames of the answer, as bytes. Whoever cancels the stream stops the generation. */
function answer(asked: GenerationRequest, environment: Environment): ReadableStream<Uint8Array> {
  const provider = openaiCompatible(environment.OPENAI_BASE_URL ?? "http://127.0.0.1:8787/v1", {
    apiKey: environment.OPENAI_API_KEY ?? "none",
  });
  const engine = createRemoteEngine({ provider });
  const guard = defineGuard({ stop: asked.stop ?? [], repetition: true });
  const stop = new AbortController();
  const events = runGeneration(engine.generate(asked, stop.signal), guard, { signal: stop.signal });
  const frames = run(events, anthropicMessages.encodeStream());
  const encoder = new TextEncoder();
  let awaited: Promise<IteratorResult<string>> | undefined;
  return new ReadableStream({
    async pull(controller) {
      awaited ??= frames.next();
      const next = await orSilence(awaited);
      if (next === undefined) controller.enqueue(PING);
      else {
        awaited = undefined;
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      }
    },
    cancel: () => stop.abort("disconnect"),
  });
}

/** What was waited for, or undefined if it takes too long. */
async function orSilence<T>(awaited: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PING_MILLISECONDS);
  });
  const first = await Promise.race([awaited, silence]);
  clearTimeout(timer);
  return first;
}
