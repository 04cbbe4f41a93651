/**
 * An Express route that streams an answer to a browser.
 *
 * - `POST /chat` with `{"message": "…"}` answers with server-sent events: `{"text": "…"}` for each piece, and one
 *   `{"reason": "…"}` at the end. The header `x-generation-id` says how to stop it.
 * - `POST /chat/{id}/stop` stops it: the connection to the provider is closed, and the stream ends with `cancelled`.
 * - A browser that leaves stops it too.
 */
import type { AddressInfo } from "node:net";
import express from "express";
import type { Response } from "express";
import { createTracker, generationContext } from "fullstop/control";
import { createFetch } from "fullstop/fetch";
import OpenAI from "openai";

const {
  OPENAI_BASE_URL = "http://127.0.0.1:8787/v1",
  OPENAI_API_KEY = "none",
  MODEL = "pip",
  PORT = "3000",
} = process.env;

const guardedFetch = createFetch({ stop: ["</answer>"], repetition: true, maxCharacters: 20_000 });
const openai = new OpenAI({ baseURL: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY, fetch: guardedFetch });
const tracker = createTracker();
const app = express();

app.post("/chat", express.json(), async (request, response) => {
  const { message } = (request.body ?? {}) as { readonly message?: unknown };
  if (typeof message !== "string") {
    response.status(400).json({ error: "The body must be a JSON object with a text `message`." });
    return;
  }
  await generationContext(tracker, "chat", async ({ id, signal }) => {
    // Also after the last byte, when there is nothing left to stop.
    response.on("close", () => tracker.stop({ id }, "disconnect"));
    // The id is random, so that only whoever asked can stop it.
    response.writeHead(200, { "content-type": "text/event-stream", "x-generation-id": id }).flushHeaders();
    try {
      send(response, { reason: await answer(message, signal, (text) => send(response, { text })) });
    } catch (error) {
      send(response, signal.aborted ? { reason: "cancelled" } : { reason: "error_termination", error: String(error) });
    }
    response.end();
  });
});

app.post("/chat/:id/stop", (request, response) => {
  const outcome = tracker.stop({ id: request.params.id }, "user");
  response.status(outcome === "not_found" ? 404 : 202).json({ outcome });
});

const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

/** Asks the model, shows what it says, and gives the reason for which it has ended. */
async function answer(message: string, signal: AbortSignal, show: (text: string) => void): Promise<string> {
  const { data: chunks, response } = await openai.chat.completions
    .create({ model: MODEL, messages: [{ role: "user", content: message }], stream: true }, { signal })
    .withResponse();
  for await (const { choices } of chunks) {
    const text = choices[0]?.delta.content ?? "";
    if (text !== "") show(text);
  }
  return (await guardedFetch.signalOf(response))?.reason ?? "unknown";
}

function send(response: Response, event: object): void {
  response.write(`data: ${JSON.stringify(event)}\n\n`);
}
