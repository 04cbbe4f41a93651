/*
 * What is kept for this tab only: it survives a reload and is gone with the tab. A browser may refuse to keep anything;
 * the page works without.
 */

/** Reads a value that was kept under a name; undefined if there is none, or none that can be read. */
export function readSaved(name: string): unknown {
  try {
    const text = sessionStorage.getItem(`fullstop.${name}`);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a value under a name, or forgets it if it is undefined. False if there is no room: what was kept stays. */
export function save(name: string, value: unknown): boolean {
  try {
    if (value === undefined) sessionStorage.removeItem(`fullstop.${name}`);
    else sessionStorage.setItem(`fullstop.${name}`, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
