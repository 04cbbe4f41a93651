import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { parseParameters } from "../command-line/parse.ts";
import { UsageError } from "../command-line/usage-error.ts";
import { CONFIG_FILES } from "../config/config-files.ts";
import { quote } from "../printable.ts";

/** Where the gateway listens unless it is told. */
export const DEFAULT_PORT = 8787;

/** The address of this machine for itself. */
export const LOOPBACK = "127.0.0.1";

/** What `fullstop serve` was told. */
export interface ServeOptions {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly config: string | undefined;
  /** A local model to serve beside the configured ones. */
  readonly model: string | undefined;
}

const OPTIONS = {
  port: {
    type: "value",
    value: "N",
    help: `where to listen; 0 for any free port (default: PORT, or ${DEFAULT_PORT})`,
  },
  host: { type: "value", value: "H", help: `the address to listen on (default: ${LOOPBACK})` },
  config: {
    type: "value",
    value: "FILE",
    help: `the configuration (default: the first there is of ${CONFIG_FILES.join(", ")})`,
    isFile: true,
  },
  model: {
    type: "value",
    value: "M",
    help: "a local model to serve beside the others: a GGUF file, or hf:user/model:quant",
    isFile: true,
  },
} as const satisfies OptionTable;

/** All about `fullstop serve`. */
export const SERVE: CommandDescription = {
  name: "serve",
  introduction:
    "Starts the gateway: one server in front of every model, that speaks OpenAI Chat Completions, OpenAI Responses, " +
    "Anthropic Messages and Gemini.",
  options: OPTIONS,
  notes:
    "Providers are there as soon as their key is in the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, " +
    "GEMINI_API_KEY, XAI_API_KEY, OPENROUTER_API_KEY, MISTRAL_API_KEY, DEEPSEEK_API_KEY, GROQ_API_KEY; Ollama by " +
    "OLLAMA_HOST. OPENAI_BASE_URL, ANTHROPIC_BASE_URL and so on say where they are instead, which needs no key where " +
    "the server there needs none. Answers are kept where FULLSTOP_STORE says: memory, a file, or redis://… for several servers. " +
    "FULLSTOP_LOG_LEVEL says how much is logged, as lines of JSON on standard error.",
  examples: ["fullstop serve", "OPENAI_API_KEY=… fullstop serve --port 8080 --config gateway.json"],
  exitCodes: [
    [0, "it was told to end, and has"],
    [1, "the system does not let it go on, as when the port is taken"],
    [2, "a wrong call, or a configuration that cannot be used"],
  ],
};

/** Reads the parameters of `fullstop serve`. */
export function readServeOptions(parameters: readonly string[]): ServeOptions | "help" {
  const parsed = parseParameters(SERVE, OPTIONS, parameters);
  if (parsed === "help") return "help";
  const { host, config, model, port } = parsed.values;
  return { host, config, model, port: port === undefined ? undefined : readPort("--port", port) };
}

/** Reads the number of a port, from wherever it was given. */
export function readPort(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/u.test(text) && port <= 65_535) return port;
  throw new UsageError(`${name} must be a number from 0 to 65535, got ${quote(text)}`);
}
