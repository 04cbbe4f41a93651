import type { WireFormatName } from "../format.ts";
import { unwrapSignature } from "../signatures.ts";
import type { Proof } from "../signatures.ts";
import type { RequestWarnings } from "./warnings.ts";

/** A part that may have a provider's proof on it. */
interface Signed {
  readonly signature?: string | undefined;
  readonly signedBy?: string | undefined;
}

/** Reads a proof that may be absent. It is that of the dialect's provider, unless it was wrapped as another's. */
export function readSignature(signature: string | undefined, dialect: WireFormatName): Partial<Proof> {
  return signature === undefined ? {} : unwrapSignature(signature, dialect);
}

/** The proof of a part where the dialect's provider takes it: its own, or one of which nobody says whose it is. */
export function ownSignature({ signature, signedBy }: Signed, dialect: WireFormatName): string | undefined {
  return signedBy === undefined || signedBy === dialect ? signature : undefined;
}

/** Warns of a proof that the dialect's provider would refuse. */
export function warnOfForeignSignature(
  part: Signed,
  dialect: WireFormatName,
  path: string,
  warnings: RequestWarnings,
): void {
  if (part.signature === undefined || ownSignature(part, dialect) !== undefined) return;
  warnings.add(`${path}.signature`, `Only the dialect ${part.signedBy} takes this signature; it was left out.`);
}
