import path from "node:path";
import type { GatewayConfig } from "../config/config.ts";

/** The name that a model in a file has; other names stay as they are. */
export function localModelName(model: string): string {
  return isFile(model) ? path.basename(model).replace(/\.gguf$/iu, "") : model;
}

/** A configuration with one more local model: a GGUF file, or `hf:user/model:quant`. */
export function withLocalModel(config: GatewayConfig, model: string): GatewayConfig {
  return { ...config, models: { ...config.models, [localModelName(model)]: { local: model } } };
}

function isFile(model: string): boolean {
  return /\.gguf$/iu.test(model) || model.startsWith("hf:");
}
