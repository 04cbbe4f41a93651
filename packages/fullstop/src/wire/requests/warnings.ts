import type { WireWarning } from "../format.ts";

/** Collects what was left out or changed while a request is read or written. */
export interface RequestWarnings {
  add(field: string, message: string): void;
  all(): readonly WireWarning[];
}

/** Opens an empty collection of warnings. */
export function createRequestWarnings(): RequestWarnings {
  const warnings: WireWarning[] = [];
  return {
    add: (field, message) => void warnings.push({ field, message }),
    all: () => warnings,
  };
}
