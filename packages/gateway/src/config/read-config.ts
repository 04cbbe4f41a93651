import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../message-of.ts";
import { parseJson } from "../parse-json.ts";
import { quoteValue } from "../quote-value.ts";
import { CONFIG_FILES } from "./config-files.ts";
import { ConfigError } from "./config-error.ts";
import { parseConfig } from "./config.ts";
import type { GatewayConfig } from "./config.ts";

/**
 * Reads a configuration: JSON, or a module whose default export it is. Without a name, the first of
 * {@link CONFIG_FILES} that is there; if none is, the configuration is empty.
 */
export async function readConfig(file: string | undefined): Promise<GatewayConfig> {
  const name = file === undefined ? await findConfig() : path.resolve(file);
  if (name === undefined) return parseConfig({});
  const isModule = /\.[cm]?[jt]s$/u.test(name);
  const content = isModule ? await importConfig(name) : await readJson(name);
  try {
    return parseConfig(content);
  } catch (error) {
    throw new ConfigError(`${name}: ${messageOf(error)}`);
  }
}

/** The path of the configuration that counts where none is named; undefined if there is none. */
export async function findConfig(): Promise<string | undefined> {
  for (const each of CONFIG_FILES) {
    const name = path.resolve(each);
    if (await isThere(name)) return name;
  }
  return undefined;
}

async function isThere(name: string): Promise<boolean> {
  return access(name).then(
    () => true,
    // One that is there and cannot be read must not pass for none: it may be what keeps strangers out.
    (error: unknown) => codeOf(error) !== "ENOENT",
  );
}

async function readJson(name: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(name, "utf8");
  } catch (error) {
    throw new ConfigError(`cannot read ${name}: ${messageOf(error)}`);
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new ConfigError(`${name}: ${messageOf(error)}`);
  }
}

async function importConfig(name: string): Promise<unknown> {
  let found: unknown;
  try {
    found = await importModule(name);
  } catch (error) {
    throw new ConfigError(`cannot import ${name}: ${messageOf(error)}`);
  }
  if (typeof found === "object" && found !== null && "default" in found) return found.default;
  throw new ConfigError(`${name}: the configuration must be the default export, got ${quoteValue(found)}`);
}

/** Imports a module. Before 22.18 Node reads no TypeScript by itself. */
async function importModule(name: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(name).href);
  } catch (error) {
    if (codeOf(error) !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
  }
  const { createJiti } = await import("jiti");
  // Nothing is kept between starts: a file that has changed would have to be told from one that has not.
  return createJiti(import.meta.url, { fsCache: false }).import(name);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
