import { CONFIG_FILES } from "../config/config-files.ts";
import type { OptionDescription } from "./description.ts";

/** An option that has one value. */
type ValueOption = OptionDescription & { readonly type: "value" };

/** The model that answers where no other is named: every gateway has it, too. */
export const USUAL_MODEL = "pip";

/** The options of commands that talk to a model by themselves: which one it is, and where. */
export const MODEL_OPTIONS: Readonly<Record<"model" | "gateway" | "config", ValueOption>> = {
  model: {
    type: "value",
    value: "M",
    help:
      "what answers: pip, provider/model, a model of the configuration, a GGUF file or hf:user/model:quant " +
      `(default: ${USUAL_MODEL})`,
    isFile: true,
  },
  gateway: {
    type: "value",
    value: "URL",
    help: "asks a running gateway for the model instead; FULLSTOP_KEY is its key",
  },
  config: {
    type: "value",
    value: "FILE",
    help: `the configuration (default: the first there is of ${CONFIG_FILES.join(", ")})`,
    isFile: true,
  },
};
