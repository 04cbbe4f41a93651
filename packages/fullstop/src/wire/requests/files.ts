import type { ImageSource } from "../../request.ts";
import type { WireFormatName } from "../format.ts";
import type { RequestWarnings } from "./warnings.ts";

/** What the ids of files in each provider's store begin with. */
const FILE_STORES: Readonly<Partial<Record<WireFormatName, RegExp>>> = {
  "openai-responses": /^file-/,
  "anthropic-messages": /^file_/,
  gemini: /^(?:files\/|gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/,
};

/** Whether an image is in the store of another provider, which this one cannot look into. Warns if so. */
export function isElsewhere(
  source: ImageSource,
  dialect: WireFormatName,
  path: string,
  warnings: RequestWarnings,
): boolean {
  if (source.type !== "file" || FILE_STORES[dialect]?.test(source.id) === true) return false;
  // An id that nobody is known for may be anybody's.
  if (!Object.values(FILE_STORES).some((pattern) => pattern.test(source.id))) return false;
  warnings.add(path, "The image is in the file store of another provider; it was left out.");
  return true;
}
