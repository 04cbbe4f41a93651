import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { checkFunction, checkNames } from "../check.ts";
import { systemClock } from "../clock.ts";
import { invalidArgument } from "../errors.ts";
import { checkGgufFile } from "./gguf-check.ts";
import { downloadModelFile } from "./model-download.ts";
import type { DownloadProgress } from "./model-download.ts";
import { ModelLoadError } from "./model-error.ts";
import { modelDirectory } from "./model-folder.ts";
import { familyOf, partsOf } from "./model-names.ts";
import { parseModelSource } from "./model-source.ts";
import type { HubOptions, ModelSource } from "./model-source.ts";

/** How to find a model, and how to get one that is not there. */
export interface LocateOptions extends HubOptions {
  /**
   * Where downloaded models are kept. Default: `.node-llama-cpp/models` in the user's home folder, which node-llama-cpp
   * uses for all programs of the user.
   */
  readonly directory?: string | undefined;
  /** Breaks a download off. What has arrived is kept, and the next attempt goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** Told how a download gets on, file by file. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

const OPTIONS = {
  directory: true,
  signal: true,
  onProgress: true,
  token: true,
  endpoint: true,
} as const satisfies Record<keyof LocateOptions, true>;

const MOST_LISTED = 5;

/**
 * The absolute path of a model's GGUF file, which is downloaded first if need be.
 *
 * `model` is `"pip"` for the embedded model, `hf:user/model:quant` or `hf:user/model/file.gguf` for one on Hugging Face,
 * an `http` or `https` address, or else a path, relative to the current folder. A model that is on disk already is
 * found without asking anybody. Throws a {@link ModelLoadError}, and the signal's reason if that fires.
 */
export async function locateModel(model: string, options: LocateOptions = {}): Promise<string> {
  checkOptions(model, options);
  if (model === "pip") return locatePip();
  const source = parseModelSource(model, options);
  return source === undefined ? locatePath(model) : fetchModel(source, options);
}

function checkOptions(model: string, options: LocateOptions): void {
  if (typeof model !== "string" || model === "") {
    throw invalidArgument("model", 'must be "pip", a path, or something to download', model);
  }
  checkNames("options", options, OPTIONS);
  checkFunction("onProgress", options.onProgress);
  for (const name of ["directory", "token", "endpoint"] as const) {
    const value = options[name];
    // A token is nothing to repeat in a message.
    const shown = name === "token" ? typeof value : value;
    if (value !== undefined && typeof value !== "string") throw invalidArgument(name, "must be a string", shown);
  }
}

async function locatePip(): Promise<string> {
  let modelPath: string;
  try {
    ({ modelPath } = await import("@fullstop/pip"));
  } catch (cause) {
    const advice = "run npm install @fullstop/pip";
    throw new ModelLoadError("not_found", `The embedded model is not installed: ${advice}`, { cause });
  }
  await checkGgufFile(modelPath, modelPath);
  return modelPath;
}

async function locatePath(given: string): Promise<string> {
  const absolute = path.resolve(given);
  const name = absolute === given ? JSON.stringify(given) : `${JSON.stringify(given)} (${absolute})`;
  if (await isMissing(absolute)) {
    throw new ModelLoadError("not_found", `There is no file ${name}${await adviseOn(given, absolute)}`);
  }
  await checkGgufFile(absolute, name);
  return absolute;
}

async function isMissing(file: string): Promise<boolean> {
  try {
    await stat(file);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
  }
}

/** What may have been meant by a path that leads nowhere. */
async function adviseOn(given: string, absolute: string): Promise<string> {
  if (given.startsWith("~/")) return ": the tilde is not expanded here, write the path in full";
  const folder = path.dirname(absolute);
  const names = await listFolder(folder);
  if (names === undefined) return `: the folder ${folder} does not exist or cannot be read`;
  const models = names.filter((name) => name.toLowerCase().endsWith(".gguf")).sort();
  const listed = models.slice(0, MOST_LISTED).join(", ") + (models.length > MOST_LISTED ? ", …" : "");
  if (models.length > 0) return `; the models in that folder are ${listed}`;
  const isLikeHub = /^[\w.-]+\/[\w.-]+(?::[\w.-]+)?$/u.test(given) && !given.endsWith(".gguf");
  return isLikeHub ? `; to download a model from Hugging Face, write hf:${given}` : "";
}

async function listFolder(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch {
    // Whatever the reason, there is nothing to list.
    return undefined;
  }
}

async function fetchModel(source: ModelSource, options: LocateOptions): Promise<string> {
  const { signal = new AbortController().signal, onProgress } = options;
  const directory = path.resolve(options.directory ?? modelDirectory());
  const known = findKnown(source.knownAs, (await listFolder(directory)) ?? []);
  if (known !== undefined) {
    const found = path.join(directory, known);
    await checkGgufFile(found, `${found}, which was downloaded before,`);
    return found;
  }
  const files = await source.resolve(signal);
  const paths: string[] = [];
  for (const file of files) {
    const settings = { request: source.request, signal, onProgress, clock: systemClock };
    paths.push(await downloadModelFile(file.url, path.join(directory, file.name), settings));
  }
  return paths[0] ?? "";
}

/** The first file of a model in a folder, if all of its parts are there. */
function findKnown(families: readonly string[], names: readonly string[]): string | undefined {
  const present = new Set(names);
  return families
    .flatMap((family) => names.filter((name) => familyOf(name) === family))
    .map((name) => partsOf(name))
    .find((parts) => parts.every((part) => present.has(part)))?.[0];
}
