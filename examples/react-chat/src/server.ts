/**
 * A chat in React on the AI SDK, with a Stop that keeps the text: `node src/server.ts`, then open the address it prints.
 *
 * `POST /api/chat` answers as `useChat` wants it. A press on Stop, or a closed tab, closes the connection to the
 * provider, and what came until then is kept here, so that it is there after a reload and in the next question. Every
 * answer says why it ended.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createOpenAI } from "@ai-sdk/openai";
import {
  convertToModelMessages,
  pipeUIMessageStreamToResponse,
  streamText,
  toUIMessageStream,
  wrapLanguageModel,
} from "ai";
import type { ToolSet } from "ai";
import { build } from "esbuild";
import { createStopMiddleware, signalOf } from "fullstop/ai-sdk";
import type { FinishedModelCall } from "fullstop/ai-sdk";
import type { ChatMessage } from "./conversation.ts";

const {
  OPENAI_BASE_URL = "http://127.0.0.1:8787/v1",
  OPENAI_API_KEY = "none",
  MODEL = "pip",
  PORT = "3000",
} = process.env;

const provider = createOpenAI({ baseURL: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY });
const page = await buildPage();
let conversation: readonly ChatMessage[] = []; // of the one person for whom this is; others have a database

const server = createServer((request, response) => {
  route(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "POST" && request.url === "/api/chat") await answer(await text(request), response);
  else if (request.url === "/api/messages") response.end(JSON.stringify(conversation));
  else if (request.url === "/page.js") response.setHeader("content-type", "text/javascript").end(page);
  else response.setHeader("content-type", "text/html").end(HTML);
}

async function answer(body: string, response: ServerResponse): Promise<void> {
  const { messages } = JSON.parse(body) as { readonly messages: readonly ChatMessage[] };
  conversation = messages;
  const reader = new AbortController();
  response.on("close", () => reader.abort("disconnect"));
  const model = wrapLanguageModel({
    model: provider.chat(MODEL),
    middleware: createStopMiddleware({
      stop: ["</answer>"],
      repetition: true,
      onFinish: (call) => keep(messages, call),
    }),
  });
  const { stream } = streamText({
    model,
    messages: await convertToModelMessages([...messages]),
    abortSignal: reader.signal,
  });
  const chunks = toUIMessageStream<ToolSet, ChatMessage>({
    stream,
    messageMetadata({ part }) {
      const ending = part.type === "finish-step" ? signalOf(part.providerMetadata) : undefined;
      return ending === undefined ? undefined : { reason: ending.reason };
    },
  });
  await pipeUIMessageStreamToResponse({ response, stream: chunks });
}

/** Keeps an answer, whole or not. */
function keep(asked: readonly ChatMessage[], { signal, text: said }: FinishedModelCall): void {
  const message: ChatMessage = {
    id: crypto.randomUUID(),
    role: "assistant",
    metadata: { reason: signal.reason },
    parts: [{ type: "text", text: said }],
  };
  conversation = [...asked, message];
}

async function buildPage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/page.tsx`],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Chat</title>
  </head>
  <body>
    <main id="chat"></main>
    <script type="module" src="/page.js"></script>
  </body>
</html>`;
