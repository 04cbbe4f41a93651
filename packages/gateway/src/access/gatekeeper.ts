import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { PartialSettings } from "../rules/generation-settings.ts";
import { mayAsk } from "./allowed-models.ts";
import { keyOf } from "./given-key.ts";
import type { Request } from "./given-key.ts";
import type { Limits } from "./limits.ts";

/** What a hash looks like. Some programs write its letters large. */
export const SHA256: RegExp = /^[0-9a-fA-F]{64}$/u;

/** A key that opens the gateway. Only its hash is kept. */
export interface AccessKey {
  /** Who has it. Generations belong to this name. */
  readonly name: string;
  /** The SHA-256 of the key, in hexadecimal. */
  readonly sha256: string;
  /** The models it may ask, those of a whole provider by `provider/*`; undefined for all. */
  readonly models?: readonly string[] | undefined;
  /** Whether it may see and stop everybody's generations. */
  readonly operator?: boolean | undefined;
  /** How much may be used with it, and with the other keys of the same name together. */
  readonly limits?: Limits | undefined;
  /** The settings of requests that do not say otherwise. */
  readonly defaults?: PartialSettings | undefined;
}

/** Somebody who was let in. */
export interface Visitor {
  readonly name: string;
  readonly isOperator: boolean;
  readonly models: readonly string[] | undefined;
  readonly limits: Limits;
  readonly defaults: PartialSettings;
}

/** Options of {@link Gatekeeper}. */
export interface GatekeeperOptions {
  /** How much may be used by all together who come without a key, where none is needed. */
  readonly anonymous?: Limits | undefined;
  /** The origins whose pages may ask where no key is needed. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** Lets requests in by their key. */
export class Gatekeeper {
  readonly #keys: readonly (AccessKey & { readonly digest: Buffer })[];
  /** Whoever asks a gateway without keys, which listens to its own machine only. */
  readonly #anybody: Visitor;
  readonly #allowedOrigins: readonly string[];

  constructor(keys: readonly AccessKey[], { anonymous = {}, allowedOrigins = [] }: GatekeeperOptions = {}) {
    this.#keys = keys.map((key) => ({ ...key, digest: Buffer.from(key.sha256, "hex") }));
    this.#anybody = { name: "anybody", isOperator: true, models: undefined, limits: anonymous, defaults: {} };
    this.#allowedOrigins = allowedOrigins;
  }

  /** Whether a key is needed. */
  get asksForKeys(): boolean {
    return this.#keys.length > 0;
  }

  /** Finds out who asks. Refuses a request without a key that is known. */
  admit(request: Request): Visitor {
    if (!this.asksForKeys) {
      if (isFromWeb(request.headers, this.#allowedOrigins))
        throw new RequestError("permission", "Without keys, only programs of this machine may ask");
      return this.#anybody;
    }
    const given = keyOf(request);
    if (given === undefined) {
      throw keyRefusal("A key is needed: send it as a bearer token, x-api-key or x-goog-api-key");
    }
    const digest = createHash("sha256").update(given).digest();
    // Every key is compared, and each in constant time, so that the answer's delay says nothing about any of them.
    let key: AccessKey | undefined;
    for (const each of this.#keys) if (timingSafeEqual(each.digest, digest)) key = each;
    if (key === undefined) throw keyRefusal("The key is not known here");
    const { name, operator = false, models, limits = {}, defaults = {} } = key;
    return { name, isOperator: operator, models, limits, defaults };
  }

  /** Refuses a model that the visitor's key is not for. */
  checkModel({ models }: Visitor, model: string): void {
    if (models === undefined || mayAsk(models, model)) return;
    throw new RequestError(
      "permission",
      `The key may not ask the model ${quoteValue(model)}; it may ask ${models.join(", ")}`,
    );
  }
}

/** Its code tells it from other refusals with the same status, which are about the key of a provider. */
function keyRefusal(message: string): RequestError {
  return new RequestError("authentication", message, { code: "invalid_api_key" });
}

/**
 * Whether a page of some other site asks, by way of a browser on this machine: it says so in `origin`, unless it has
 * made its own name stand for this machine, which then is the name in `host`.
 */
function isFromWeb(headers: IncomingHttpHeaders, allowedOrigins: readonly string[]): boolean {
  const { host = "", origin } = headers;
  const isOurs = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/iu.test(host);
  if (!isOurs) return true;
  if (origin !== undefined) return origin !== `http://${host}` && !allowedOrigins.includes(origin);
  // What a page only embeds, such as an image, has no origin; browsers say from where it is asked for.
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
