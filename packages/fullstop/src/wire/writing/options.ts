import { checkAmount, checkFlag, checkFunction, checkNames } from "../../check.ts";
import { invalidArgument } from "../../errors.ts";
import { isRecord } from "../json.ts";
import type { EncodeOptions } from "../format.ts";

/** Tells the caller about something that the dialect cannot say. Each field is spoken of once in an answer. */
export type Warn = (field: string, message: string) => void;

const KNOWN_OPTIONS: Readonly<Record<keyof EncodeOptions, true>> = {
  id: true,
  model: true,
  created: true,
  includeUsage: true,
  echo: true,
  onWarning: true,
};

/** Refuses options that an encoder cannot use. */
export function checkEncodeOptions(options: EncodeOptions): void {
  checkNames("options", options, KNOWN_OPTIONS);
  checkText("options.id", options.id);
  checkText("options.model", options.model);
  checkAmount("options.created", options.created);
  checkFlag("options.includeUsage", options.includeUsage);
  const { echo } = options;
  if (echo !== undefined && !isRecord(echo)) throw invalidArgument("options.echo", "must be an object", echo);
  checkFunction("options.onWarning", options.onWarning);
}

function checkText(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "string") throw invalidArgument(name, "must be a string", value);
}

/** Opens the warnings of one answer. */
export function createWarn({ onWarning }: EncodeOptions): Warn {
  if (onWarning === undefined) return () => undefined;
  const told = new Set<string>();
  return (field, message) => {
    if (told.has(field)) return;
    told.add(field);
    onWarning({ field, message });
  };
}
