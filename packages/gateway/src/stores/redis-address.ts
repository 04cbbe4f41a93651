import { RedisClient } from "@redis/client";
import type { AnyRedisClientOptions } from "@redis/client";
import { ConfigError } from "../config/config-error.ts";
import { messageOf } from "../message-of.ts";
import { showRefusedUrl, showUrl } from "./show-url.ts";

/** Where a Redis server is, and how to get in. */
export interface RedisAddress {
  /** The options of node-redis that the URL stands for. */
  readonly options: AnyRedisClientOptions;
  /** The address as it may be shown: without what lets anybody in. */
  readonly shown: string;
  /** What must not be shown. */
  readonly secrets: readonly string[];
}

/** Reads the URL of a Redis server. Throws an error that does not tell the password if it is none. */
export function parseRedisUrl(url: string): RedisAddress {
  let options: AnyRedisClientOptions;
  try {
    options = RedisClient.parseURL(url);
  } catch {
    // The error of the library is not passed on: it holds the whole URL.
    throw new ConfigError(
      `The URL of a Redis server is redis://, rediss:// or unix:// with an address, such as ` +
        `"redis://user:password@localhost:6379/0", got "${showRefusedUrl(url)}"`,
    );
  }
  const password = options.password ?? "";
  const secrets = [password, encodeURIComponent(password)].filter((secret) => secret !== "");
  return { options, shown: showUrl(url), secrets };
}

/** An error without the secrets that may stand in it: a server quotes a command that it does not understand. */
export function hideSecrets(error: unknown, secrets: readonly string[]): Error {
  const message = messageOf(error);
  if (error instanceof Error && !secrets.some((secret) => message.includes(secret))) return error;
  return new Error(secrets.reduce((text, secret) => text.replaceAll(secret, "…"), message));
}
