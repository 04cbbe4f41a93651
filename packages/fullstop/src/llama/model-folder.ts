import { lstat, readdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { invalidArgument } from "../errors.ts";
import { ModelLoadError } from "./model-error.ts";
import { familyOf, partsOf } from "./model-names.ts";
import { parseModelSource } from "./model-source.ts";

/** A model in the folder of downloads, whole or not. */
export interface DownloadedModel {
  /** The name of its file; without the number of the part, where it is split into several. */
  readonly name: string;
  /** The file to load. */
  readonly path: string;
  /** How much of the disk it takes. */
  readonly bytes: number;
  /** False while something of it has to be downloaded yet. */
  readonly isWhole: boolean;
}

/** The folder in which downloads are kept unless a program says otherwise: that of node-llama-cpp, for all programs. */
export function modelDirectory(): string {
  return path.join(homedir(), ".node-llama-cpp", "models");
}

/** What a download leaves beside the file itself. */
const REMAINS = ["", ".part", ".part.json", ".lock"] as const;
const FILE = /^(?<name>.+\.gguf)(?:\.part)?$/iu;

/** The models that were downloaded, by name. None where there is no such folder. */
export async function listDownloadedModels(directory: string = modelDirectory()): Promise<readonly DownloadedModel[]> {
  const sizes = await readSizes(path.resolve(directory));
  const files = [...sizes.keys()].flatMap((file) => FILE.exec(file)?.groups?.["name"] ?? []);
  const families = new Map(files.map((file) => [familyOf(file), partsOf(file)]));
  return [...families]
    .map(([name, parts]) => ({
      name,
      path: path.join(path.resolve(directory), parts[0] ?? name),
      bytes: parts.reduce((sum, part) => sum + (sizes.get(part) ?? sizes.get(`${part}.part`) ?? 0), 0),
      isWhole: parts.every((part) => sizes.has(part)),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Removes a model that was downloaded, and what an unfinished download has left. It is named by its file, or as it was
 * downloaded: `hf:user/model:quant`, or an address. Nothing but what {@link listDownloadedModels} lists is removed.
 */
export async function removeDownloadedModel(
  model: string,
  directory: string = modelDirectory(),
): Promise<DownloadedModel> {
  if (typeof model !== "string" || model === "") throw invalidArgument("model", "must be the name of a model", model);
  const listed = await listDownloadedModels(directory);
  const names = parseModelSource(model, {})?.knownAs ?? [model];
  const found = listed.find(({ name }) => names.includes(name));
  if (found === undefined) {
    const others = listed.length === 0 ? "there are none" : `there are ${listed.map(({ name }) => name).join(", ")}`;
    throw new ModelLoadError(
      "not_found",
      `No model ${JSON.stringify(model)} was downloaded to ${directory}; ${others}`,
    );
  }
  const parts = partsOf(path.basename(found.path));
  const remains = parts.flatMap((part) => REMAINS.map((ending) => path.join(path.resolve(directory), part + ending)));
  await Promise.all(remains.map((file) => rm(file, { force: true })));
  return found;
}

/** The plain files of a folder and how big they are. Links and folders are nobody's download. */
async function readSizes(directory: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  const sizes = await Promise.all(
    names.map(async (name) => {
      const stats = await lstat(path.join(directory, name));
      return stats.isFile() ? ([[name, stats.size]] as const) : [];
    }),
  );
  return new Map(sizes.flat());
}
