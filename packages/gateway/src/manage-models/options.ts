import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { parseParameters } from "../command-line/parse.ts";
import { UsageError } from "../command-line/usage-error.ts";
import { CONFIG_FILES } from "../config/config-files.ts";
import { quote } from "../printable.ts";

/** What `fullstop models` was told to do. */
export type ModelsTask =
  | { readonly type: "list" }
  | { readonly type: "pull"; readonly name: string }
  | { readonly type: "remove"; readonly name: string };

/** What `fullstop models` was told. */
export interface ModelsOptions {
  readonly task: ModelsTask;
  readonly config: string | undefined;
  readonly directory: string | undefined;
  /** Whether to write for programs instead of people. */
  readonly json: boolean;
}

const TASKS = ["list", "pull", "remove"] as const;

const OPTIONS = {
  directory: {
    type: "value",
    value: "DIR",
    help: "where downloads are (default: .node-llama-cpp/models in the home folder)",
    isFile: true,
  },
  config: {
    type: "value",
    value: "FILE",
    help: `the configuration (default: the first there is of ${CONFIG_FILES.join(", ")})`,
    isFile: true,
  },
  json: { type: "flag", help: "writes JSON: a list, or what was downloaded or removed" },
} as const satisfies OptionTable;

/** All about `fullstop models`. */
export const MODELS: CommandDescription = {
  name: "models",
  introduction:
    "Lists the models that can be asked: the embedded one, those of the configuration, those that were downloaded, and " +
    "the providers whose key is in the environment. pull downloads one to this machine, with a progress bar; what has " +
    "arrived before a break is not fetched again. remove deletes one that was downloaded, and nothing else.",
  options: OPTIONS,
  operands: { usage: "[list | pull NAME | remove NAME]", suggests: TASKS },
  notes:
    "NAME is hf:user/model:quant, hf:user/model/file.gguf or the address of a GGUF file; remove takes the name that is " +
    "listed, too. HF_TOKEN opens models that are not for everybody, HF_ENDPOINT is another server that speaks alike.",
  examples: [
    "fullstop models",
    "fullstop models pull hf:Qwen/Qwen3-0.6B-GGUF:Q8_0",
    "fullstop models --json | jq -r '.[].name'",
  ],
  exitCodes: [
    [0, "done"],
    [1, "the model could not be downloaded or removed"],
    [2, "a wrong call, or a configuration that cannot be used"],
    [130, "interrupted; what has arrived is kept for the next time"],
  ],
};

/** Reads the parameters of `fullstop models`. */
export function readModelsOptions(parameters: readonly string[]): ModelsOptions | "help" {
  const parsed = parseParameters(MODELS, OPTIONS, parameters);
  return parsed === "help" ? "help" : { ...parsed.values, task: readTask(parsed.operands) };
}

function readTask([word = "list", name, ...rest]: readonly string[]): ModelsTask {
  const type = TASKS.find((each) => each === word);
  if (type === undefined) throw new UsageError(`models takes ${TASKS.join(", ")}, got ${quote(word)}`);
  const [stray] = type === "list" && name !== undefined ? [name] : rest;
  if (stray !== undefined) throw new UsageError(`there is nothing to do with ${quote(stray)}`);
  if (type === "list") return { type };
  if (name === undefined || name === "") throw new UsageError(`${type} needs the NAME of a model`);
  return { type, name };
}
