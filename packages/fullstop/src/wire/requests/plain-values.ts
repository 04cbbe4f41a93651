import { isRecord, listOf } from "../json.ts";

/** Whether nothing was said: null counts as absent. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Whether nothing is in it, so that clients write it out for no reason. */
export function isNothing(value: unknown): boolean {
  return isAbsent(value) || (Array.isArray(value) && value.length === 0);
}

/** Whether two plain values, or two lists or objects of them, are the same. */
export function isSame(value: unknown, standard: unknown): boolean {
  if (isRecord(standard)) {
    const names = Object.keys(standard);
    return (
      isRecord(value) &&
      Object.keys(value).length === names.length &&
      names.every((name) => value[name] === standard[name])
    );
  }
  if (!Array.isArray(standard)) return value === standard;
  const items = listOf(value);
  return items.length === standard.length && items.every((item, index) => item === standard[index]);
}

/** A name as JSON has it in place of how a protocol buffer has it. */
export function toCamelCase(name: string): string {
  return name.replaceAll(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A name as a protocol buffer has it in place of how JSON has it. */
export function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Whether there are more than so many objects and lists in each other. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) return levels === 0 || value.some((item) => isDeeper(item, levels - 1));
  if (!isRecord(value)) return false;
  if (levels === 0) return true;
  // Own fields or not makes no difference here: the body is parsed JSON.
  for (const name in value) if (isDeeper(value[name], levels - 1)) return true;
  return false;
}
