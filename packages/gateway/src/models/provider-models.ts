import type { Fetch, FetchAnswer, Provider } from "fullstop/engines";

/** Where the models of a provider are listed, and what goes with the question. */
export interface ModelsQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The addresses of dialects that have another, or that give few models at a time unless they are asked for many. */
const PATHS: Readonly<Record<string, string>> = {
  "anthropic-messages": "/models?limit=1000",
  gemini: "/models?pageSize=1000",
  "ollama-chat": "/api/tags",
};

/** The most characters that are read of a list, the most models of it, and the most characters of a name. */
const MOST_CHARACTERS = 8 * 2 ** 20;
const MOST_MODELS = 5000;
const LONGEST_NAME = 200;

/** How a provider is asked which models it has, which costs nothing and needs the key. */
export async function askForModels({ baseUrl, format, headers = {} }: Provider): Promise<ModelsQuestion> {
  const own = typeof headers === "function" ? await headers() : headers;
  const version = format.name === "anthropic-messages" ? { "anthropic-version": "2023-06-01" } : {};
  const path = PATHS[format.name] ?? "/models";
  return { url: baseUrl.replace(/\/+$/u, "") + path, headers: { accept: "application/json", ...version, ...own } };
}

/** Asks a provider for the names of its models. Throws where it does not say. */
export async function fetchModels(provider: Provider, fetch: Fetch, signal: AbortSignal): Promise<readonly string[]> {
  const { url, headers } = await askForModels(provider);
  const answer = await fetch(url, { method: "GET", headers, redirect: "manual", signal });
  const text = await readText(answer);
  if (answer.status !== 200) throw new Error(`it answers with ${answer.status}`);
  return namesIn(JSON.parse(text));
}

async function readText({ body }: FetchAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST_CHARACTERS) throw new Error("its list of models is too long");
  }
  return text;
}

/** The names in a list: `data` with ids as OpenAI and Anthropic have it, `models` with names as Google and Ollama do. */
function namesIn(list: unknown): readonly string[] {
  const items = fieldOf(list, "data") ?? fieldOf(list, "models");
  if (!Array.isArray(items)) throw new Error("it answers with no list of models");
  return items
    .slice(0, MOST_MODELS)
    .map((item) => fieldOf(item, "id") ?? fieldOf(item, "name"))
    .filter((name) => typeof name === "string" && name !== "" && name.length <= LONGEST_NAME)
    .map((name) => String(name).replace(/^models\//u, ""));
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (Reflect.get(value, name) as unknown)
    : undefined;
}
