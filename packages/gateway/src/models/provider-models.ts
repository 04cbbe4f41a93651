import type { Provider } from "fullstop/engines";

/** Where the models of a provider are listed, and what goes with the question. */
export interface ModelsQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a provider is asked which models it has, which costs nothing and needs the key. */
export async function askForModels({ baseUrl, format, headers = {} }: Provider): Promise<ModelsQuestion> {
  const own = typeof headers === "function" ? await headers() : headers;
  const version = format.name === "anthropic-messages" ? { "anthropic-version": "2023-06-01" } : {};
  const path = format.name === "ollama-chat" ? "/api/tags" : "/models";
  return { url: baseUrl.replace(/\/+$/u, "") + path, headers: { accept: "application/json", ...version, ...own } };
}
