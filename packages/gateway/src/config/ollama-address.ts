import { reachableHost } from "../listening-address.ts";
import { ConfigError } from "./config-error.ts";

/** Where Ollama listens unless it is told otherwise. */
const USUAL_PORT = "11434";

/**
 * The address behind a value of `OLLAMA_HOST`, as Ollama's own programs read it: with or without a scheme, a host, a
 * port or a path. Without a scheme the port is Ollama's own, with one it is the scheme's.
 */
export function ollamaAddress(host: string): string {
  const value = host.trim().replaceAll(/^["']+|["']+$/gu, "");
  const hasScheme = /^\w+:\/\//u.test(value);
  const rest = hasScheme ? value.replace(/^\w+:\/\//u, "") : value;
  if (hasScheme && rest.replaceAll("/", "") === "") throw unreadable();
  const scheme = hasScheme ? value.slice(0, -rest.length) : "http://";
  if (!/^https?:\/\/$/u.test(scheme)) throw unreadable();
  // A port alone is one of this machine; an IPv6 address may come without its brackets.
  const named = rest.startsWith(":") && !rest.startsWith("::") ? `127.0.0.1${rest}` : withBrackets(rest);
  const address = scheme + named;
  if (!URL.canParse(address)) throw unreadable();
  const url = new URL(address);
  if (!hasScheme && !/^[^/]*:\d+(?:\/|$)/u.test(named.replace(/^.*[\]@]/u, ""))) url.port = USUAL_PORT;
  url.hostname = reachableHost(url.hostname);
  return url.href.replace(/\/+$/u, "");
}

/** An IPv6 address has several colons and no dot or slash among them; with anything else it has to have its brackets. */
function withBrackets(rest: string): string {
  return /^[\da-f]*:[\da-f]*:[\da-f:]*$/iu.test(rest) ? `[${rest}]` : rest;
}

/** The value is not quoted: people put passwords into addresses. */
function unreadable(): ConfigError {
  return new ConfigError("it must be where Ollama is, such as 127.0.0.1:11434 or https://ollama.example.com");
}
