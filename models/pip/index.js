import { fileURLToPath } from "node:url";

export const modelPath = fileURLToPath(new URL("pip-q8_0.gguf", import.meta.url));
