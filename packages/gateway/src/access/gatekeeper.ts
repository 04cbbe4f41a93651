import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";

/** A key that opens the gateway. Only its hash is kept. */
export interface AccessKey {
  /** Who has it. Generations belong to this name. */
  readonly name: string;
  /** The SHA-256 of the key, in hexadecimal. */
  readonly sha256: string;
  /** The models it may ask; undefined for all. */
  readonly models?: readonly string[] | undefined;
  /** Whether it may see and stop everybody's generations. */
  readonly operator?: boolean | undefined;
}

/** Somebody who was let in. */
export interface Visitor {
  readonly name: string;
  readonly isOperator: boolean;
  readonly models: readonly string[] | undefined;
}

/** What tells who asks. */
export interface Request {
  readonly headers: IncomingHttpHeaders;
}

/** Whoever asks a gateway without keys, which listens to its own machine only. */
const ANYBODY: Visitor = { name: "anybody", isOperator: true, models: undefined };

/** Lets requests in by their key. */
export class Gatekeeper {
  readonly #keys: readonly (AccessKey & { readonly digest: Buffer })[];

  constructor(keys: readonly AccessKey[]) {
    this.#keys = keys.map((key) => ({ ...key, digest: Buffer.from(key.sha256, "hex") }));
  }

  /** Whether a key is needed. */
  get asksForKeys(): boolean {
    return this.#keys.length > 0;
  }

  /** Finds out who asks. Refuses a request without a key that is known. */
  admit({ headers }: Request): Visitor {
    if (!this.asksForKeys) {
      if (isFromWeb(headers))
        throw new RequestError("permission", "Without keys, only programs of this machine may ask");
      return ANYBODY;
    }
    const given = keyOf(headers);
    if (given === undefined) {
      throw new RequestError(
        "authentication",
        "A key is needed: send it as a bearer token, x-api-key or x-goog-api-key",
      );
    }
    const digest = createHash("sha256").update(given).digest();
    // Every key is compared, and each in constant time, so that the answer's delay says nothing about any of them.
    let key: AccessKey | undefined;
    for (const each of this.#keys) if (timingSafeEqual(each.digest, digest)) key = each;
    if (key === undefined) throw new RequestError("authentication", "The key is not known here");
    return { name: key.name, isOperator: key.operator ?? false, models: key.models };
  }

  /** Refuses a model that the visitor's key is not for. */
  checkModel({ models }: Visitor, model: string): void {
    if (models === undefined || models.includes(model)) return;
    throw new RequestError(
      "permission",
      `The key may not ask the model ${quoteValue(model)}; it may ask ${models.join(", ")}`,
    );
  }
}

/**
 * Whether a page of some other site asks, by way of a browser on this machine: it says so in `origin`, unless it has
 * made its own name stand for this machine, which then is the name in `host`.
 */
function isFromWeb({ host = "", origin }: IncomingHttpHeaders): boolean {
  const isOurs = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/iu.test(host);
  return !isOurs || (origin !== undefined && origin !== `http://${host}`);
}

/** Where the clients of the four dialects put their key. */
function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer\s+(?<key>\S+)$/iu.exec(headers.authorization ?? "")?.groups?.["key"];
  return bearer ?? single(headers["x-api-key"]) ?? single(headers["x-goog-api-key"]);
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
