// Lets any Node import TypeScript, as newer ones do by themselves: `node --import ./scripts/typescript-hooks.mjs`.
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

if (isMainThread) register(import.meta.url);

/**
 * Reads a module, without its types if it has any.
 *
 * @type {import("node:module").LoadHook}
 */
export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const { transform } = await import("esbuild");
  const { code } = await transform(await readFile(new URL(url), "utf8"), { loader: "ts" });
  return { format: "module", source: code, shortCircuit: true };
}
