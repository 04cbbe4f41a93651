import { styleText } from "node:util";
import type { Terminal } from "./terminal.ts";

/** The styles that are used, so that another way to colour has little to know. */
export type Style = "bold" | "dim" | "green" | "red" | "yellow";

/** Gives a text a style, or leaves it as it is where colours are not wanted. */
export type Paint = (style: Style, text: string) => string;

/** Shows everything without colours. */
export const paintNothing: Paint = (_style, text) => text;

/** Shows colours whatever the output is; whether to is decided by {@link choosePaint}. */
const paintColours: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Whether to use colours: `FORCE_COLOR` decides if it is set, then `NO_COLOR`, then whether a person is looking. */
export function choosePaint({ stdout, env }: Pick<Terminal, "stdout" | "env">): Paint {
  const { FORCE_COLOR: forced, NO_COLOR: refused } = env;
  if (forced !== undefined) return /^(?:0|false)$/u.test(forced) ? paintNothing : paintColours;
  if (refused !== undefined && refused !== "") return paintNothing;
  return stdout.isTTY === true ? paintColours : paintNothing;
}
