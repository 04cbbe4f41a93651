import { stat } from "node:fs/promises";
import { createProgressBar, locateModel, ModelLoadError, modelDirectory, removeDownloadedModel } from "fullstop/llama";
import { defineCommand } from "../command-line/run-command.ts";
import { UsageError } from "../command-line/usage-error.ts";
import { ConfigError } from "../config/config-error.ts";
import { readConfig } from "../config/read-config.ts";
import { quote, toPrintable } from "../printable.ts";
import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { listModels } from "./list-models.ts";
import type { KnownModel } from "./list-models.ts";
import { MODELS, readModelsOptions } from "./options.ts";
import type { ModelsOptions } from "./options.ts";

const FAILED = 1;
const INTERRUPTED = 130;

/** Runs `fullstop models`: lists, downloads and removes models. */
export const runModels: RunCommand = defineCommand({
  description: MODELS,
  read: readModelsOptions,
  run: manage,
  isPlain: (error) => error instanceof ConfigError,
});

async function manage(options: ModelsOptions, terminal: Terminal): Promise<number> {
  const { task, config, directory = modelDirectory(), json } = options;
  const { stdout, stderr, env } = terminal;
  try {
    if (task.type === "pull") return await pull(task.name, directory, json, terminal);
    if (task.type === "remove") {
      const { name, bytes } = await removeDownloadedModel(task.name, directory);
      const line = json ? JSON.stringify({ name, bytes }) : `removed ${toPrintable(name)} (${showBytes(bytes)})`;
      await writeText(stdout, `${line}\n`);
      return 0;
    }
    const models = await listModels(await readConfig(config), env, directory);
    await writeText(stdout, json ? `${JSON.stringify(models)}\n` : tableOf(models));
    return 0;
  } catch (error) {
    if (!(error instanceof ModelLoadError)) throw error;
    await writeText(stderr, `fullstop models: ${toPrintable(error.message)}\n`);
    return FAILED;
  }
}

async function pull(name: string, directory: string, json: boolean, { stdout, stderr }: Terminal): Promise<number> {
  if (!/^(?:hf:|https?:\/\/)/iu.test(name)) {
    throw new UsageError(`pull needs hf:user/model:quant or an http address, got ${quote(name)}`);
  }
  const { isTTY, columns = 0 } = stderr;
  const write = (text: string): void => void stderr.write(text, () => undefined);
  // A terminal that does not know its size says 0.
  const bar = createProgressBar({ write, isTTY, columns: columns > 0 ? columns : undefined });
  const controller = new AbortController();
  const onSignal = (): void => controller.abort();
  process.once("SIGINT", onSignal);
  try {
    const { onProgress } = bar;
    const file = await locateModel(name, { directory, onProgress, signal: controller.signal });
    bar.end();
    const { size: bytes } = await stat(file);
    await writeText(stdout, json ? `${JSON.stringify({ name, path: file, bytes })}\n` : `${file}\n`);
    return 0;
  } catch (error) {
    bar.end();
    if (!controller.signal.aborted) throw error;
    await writeText(stderr, "fullstop models: interrupted; what has arrived is kept for the next time\n");
    return INTERRUPTED;
  } finally {
    process.off("SIGINT", onSignal);
  }
}

function tableOf(models: readonly KnownModel[]): string {
  const rows = models.map(({ name, kind, bytes, where }) =>
    [name, kind, bytes === null ? "" : showBytes(bytes), where].map(toPrintable),
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`).join("");
}

function showBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
