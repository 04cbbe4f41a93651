import { checkFlag, checkNames } from "../check.ts";
import { FullstopError, invalidArgument } from "../errors.ts";
import type { GenerationRequest } from "../request.ts";
import type { RequestFormat } from "../wire/format.ts";
import { ROUTES } from "./routes.ts";
import type { ProviderHeaders, ProviderPaths } from "./routes.ts";

/** Somebody who answers requests over HTTP: a dialect, an address and the headers that open the door. */
export interface Provider {
  readonly id: string;
  /** The dialect it speaks. */
  readonly format: RequestFormat;
  /** Where its API begins, such as `https://api.openai.com/v1`: without a query, a user name or a password. */
  readonly baseUrl: string;
  /** Headers for every request, the key among them. A function is asked again for each, for keys that expire. */
  readonly headers?: ProviderHeaders | (() => ProviderHeaders | Promise<ProviderHeaders>) | undefined;
  /** What follows the base URL, with `{model}` for the model's name. Default: what is usual for the dialect. */
  readonly path?: string | ProviderPaths | undefined;
  /** The words behind numeric finish values. */
  readonly finishNumbers?: Readonly<Record<number, string>> | undefined;
  /**
   * Whether it looks for stop strings as this library does, as a fullstop gateway does: in any number, with nothing of
   * them shown, and it says which one it was. They are left to it then. Default: false.
   */
  readonly appliesStopStrings?: boolean | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof Provider, true>> = {
  id: true,
  format: true,
  baseUrl: true,
  headers: true,
  path: true,
  finishNumbers: true,
  appliesStopStrings: true,
};

/** What HTTP allows in a header. Line breaks in particular come with keys that were read from a file. */
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;

/** Describes a provider, refusing at once what could not work. No message of it quotes a header. */
export function defineProvider(provider: Provider): Provider {
  checkNames("provider", provider, OPTION_NAMES);
  const { id, format, headers, path } = provider;
  if (typeof id !== "string" || id === "") throw invalidArgument("id", "must be a name", id);
  if (typeof format?.encodeRequest !== "function") {
    throw invalidArgument("format", "must be a dialect that requests can be written in", format?.name);
  }
  if (path === undefined && ROUTES[format.name] === undefined) {
    throw invalidArgument("path", `must be given for the dialect ${format.name}`, path);
  }
  for (const end of typeof path === "object" ? [path.stream, path.whole] : [path]) {
    if (end !== undefined && !(typeof end === "string" && end.startsWith("/"))) {
      throw invalidArgument("path", "must begin with a slash", end);
    }
  }
  checkFlag("appliesStopStrings", provider.appliesStopStrings);
  checkBaseUrl("baseUrl", provider.baseUrl);
  if (typeof headers === "object") checkHeaders(headers);
  return provider;
}

/** Refuses an address that no server can be asked at, by the name that it has where it was given. */
export function checkBaseUrl(name: string, baseUrl: string): void {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    throw invalidArgument(name, "must be an address that begins with http:// or https://", withoutKeys(baseUrl));
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw invalidArgument(name, "must have no user name, no password and no query", withoutKeys(baseUrl));
  }
}

/** An address without the parts that people put keys in: what stands before the host, and the query. */
function withoutKeys(baseUrl: unknown): unknown {
  return typeof baseUrl === "string" ? baseUrl.replace(/^.*@/u, "…@").replace(/[?#].*$/u, "?…") : baseUrl;
}

/** Refuses headers that cannot be sent. The runtime would refuse them too, and quote the key. */
export function checkHeaders(headers: ProviderHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string" && HEADER_VALUE.test(value)) continue;
    const rule = "must be text without line breaks or characters beyond Latin-1 (it is not quoted here)";
    throw new FullstopError("invalid_argument", `the header ${JSON.stringify(name)} ${rule}`);
  }
}

/** The address for a request. */
export function addressOf({ baseUrl, format, path }: Provider, request: GenerationRequest): string {
  const paths = typeof path === "string" ? { stream: path, whole: path } : (path ?? ROUTES[format.name]?.paths);
  const end = (request.stream === false ? paths?.whole : paths?.stream) ?? "";
  // Google's own lists of models have the folder before the name.
  const model = encodeURIComponent(request.model.replace(/^models\//u, ""));
  return baseUrl.replace(/\/+$/u, "") + end.replaceAll("{model}", () => model);
}
