/** Asks for a file, and follows the server to wherever the file lies. Throws what `fetch` throws. */
export type FileRequester = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<FileResponse>;

/** The answer of the last server asked, and the SHA-256 of the whole file, if one on the way has stated it. */
export interface FileResponse {
  readonly response: Response;
  readonly sha256: string | undefined;
}

/** A secret, and the one server that may see it. */
export interface Credential {
  readonly origin: string;
  readonly token: string;
}

const MOST_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Creates a requester of files. Redirects are followed here and not by `fetch`, because the hash of a file on Hugging
 * Face stands in the redirect to the storage, and the token must not go there.
 */
export function createRequester(credential: Credential | undefined): FileRequester {
  return async (url, headers, signal) => {
    let address = new URL(url);
    let sha256: string | undefined;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const isTrusted = credential !== undefined && credential.origin === address.origin;
      const response = await fetch(address, {
        headers: isTrusted ? { ...headers, authorization: `Bearer ${credential.token}` } : headers,
        redirect: "manual",
        signal,
      });
      sha256 ??= linkedHash(response.headers);
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null) return { response, sha256 };
      await response.body?.cancel();
      address = new URL(location, address);
    }
    throw new Error(`more than ${MOST_REDIRECTS} redirects`);
  };
}

/**
 * The hash of a large file, as Hugging Face states it. The plain `ETag` does not count: the storage behind it puts
 * hashes of other kinds there that look the same.
 */
function linkedHash(headers: Headers): string | undefined {
  return /^"?(?<hash>[0-9a-f]{64})"?$/u.exec(headers.get("x-linked-etag") ?? "")?.groups?.["hash"];
}

/** An address as it may stand in a message: without its query, in which secrets travel. */
export function showAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Why a request failed. `fetch` says only "fetch failed" and keeps what happened in the error's causes. */
export function reasonOf(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return String(deepest);
  const code = "code" in deepest && typeof deepest.code === "string" ? deepest.code : "";
  return deepest.message === "" ? code || deepest.name : deepest.message;
}

/** What a refusal by a server means for somebody who wants a model. */
export function describeStatus(status: number): string {
  if (status === 401 || status === 403) {
    return `the server refuses it (status ${status}): check the access token, and whether the model's terms are accepted`;
  }
  return status === 404 ? "the server has no such file (status 404)" : `the server answers with status ${status}`;
}
