import { RequestError } from "../request-error.ts";

/**
 * Refuses more of stop strings than a server takes: those of the dialect and those in the `fullstop` object, which is
 * looked at as it came. Compiling four million characters takes seconds, in which nobody else is served.
 */
export function checkStopSize(stop: readonly string[] = [], settings: unknown, most: number): void {
  const own = typeof settings === "object" && settings !== null && "stop" in settings ? settings.stop : [];
  const length = [stop, own].flat().reduce<number>((sum, each) => sum + lengthOf(each), 0);
  if (length <= most) return;
  throw new RequestError(
    "invalid_request",
    `The stop strings have ${length} characters, and all together may have ${most} (limits.maxStopCharacters)`,
    { param: "stop" },
  );
}

/** What is no stop string is refused later, by whoever reads it. */
function lengthOf(value: unknown): number {
  const text = typeof value === "object" && value !== null && "text" in value ? value.text : value;
  return typeof text === "string" ? text.length : 0;
}
