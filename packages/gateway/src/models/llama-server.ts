import type { Fetch, FetchAnswer, Provider } from "fullstop/engines";
import type { RequestFormat } from "fullstop/wire";

/** A way to tell a server something about an answer that it is giving. */
export interface ThinkingControl {
  /**
   * Asks the server to end the thinking of an answer, by the id that its stream has. False if it did not: it does not
   * know the answer any more, the model has no thinking to end, or the server cannot do it.
   */
  endThinking(answerId: string, model: string, signal: AbortSignal): Promise<boolean>;
}

/** How long somebody who wants the thinking to end is kept waiting before it is ended in another way. */
const CONTROL_TIMEOUT = 5000;

/** The most characters that are read of an answer which says yes or no. */
const MOST_CHARACTERS = 65_536;

/** Chat Completions as a llama.cpp server has to be asked that is to be told something in the middle of an answer. */
export function withReasoningControl(format: RequestFormat): RequestFormat {
  return {
    ...format,
    encodeRequest(request) {
      const { body, warnings } = format.encodeRequest(request);
      return { body: { ...body, reasoning_control: true }, warnings };
    },
  };
}

/** Opens the control of a llama.cpp server, which lies beside the address of its chats. */
export function createThinkingControl({ baseUrl, headers = {} }: Provider, fetch: Fetch): ThinkingControl {
  const url = `${baseUrl.replace(/\/+$/u, "")}/chat/completions/control`;
  return {
    async endThinking(id, model, signal) {
      try {
        const own = typeof headers === "function" ? await headers() : headers;
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", ...own },
          body: JSON.stringify({ id, model, action: "reasoning_end" }),
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(CONTROL_TIMEOUT)]),
        });
        const answer: unknown = JSON.parse(await textOf(response));
        return typeof answer === "object" && answer !== null && "success" in answer && answer.success === true;
      } catch {
        // Older servers have no such address. The thinking can be ended in another way, so nobody has to know.
        return false;
      }
    },
  };
}

/** The text of an answer that says little. One that is long is none, and is not read to its end. */
async function textOf({ body }: FetchAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST_CHARACTERS) throw new Error("The answer is too long");
  }
  return text + decoder.decode();
}
