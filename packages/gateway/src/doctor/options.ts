import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { parseParameters } from "../command-line/parse.ts";
import { CONFIG_FILES } from "../config/config-files.ts";

/** What `fullstop doctor` was told. */
export interface DoctorOptions {
  readonly config: string | undefined;
  /** Whether to ask providers if they take the keys. */
  readonly online: boolean;
  /** Whether to write for programs instead of people. */
  readonly json: boolean;
}

const OPTIONS = {
  config: {
    type: "value",
    value: "FILE",
    help: `the configuration (default: the first there is of ${CONFIG_FILES.join(", ")})`,
    isFile: true,
  },
  online: { type: "flag", help: "asks the providers whether they take the keys" },
  json: { type: "flag", help: "writes JSON: isWell, and for each check its name, status, finding and advice" },
} as const satisfies OptionTable;

/** All about `fullstop doctor`. */
export const DOCTOR: CommandDescription = {
  name: "doctor",
  introduction:
    "Looks whether everything that fullstop needs is there: Node, the configuration, the embedded model, keys and " +
    "addresses of providers, the store, the port, the token of a Telegram bot. ✔ is well, – is not there and need not be, ✖ is " +
    "wrong and says what to do. No key is ever shown.",
  options: OPTIONS,
  examples: ["fullstop doctor", "fullstop doctor --online --json | jq '.checks[] | select(.status == \"wrong\")'"],
  exitCodes: [
    [0, "nothing is wrong"],
    [1, "something is"],
    [2, "a wrong call"],
  ],
};

/** Reads the parameters of `fullstop doctor`. */
export function readDoctorOptions(parameters: readonly string[]): DoctorOptions | "help" {
  const parsed = parseParameters(DOCTOR, OPTIONS, parameters);
  return parsed === "help" ? "help" : parsed.values;
}
