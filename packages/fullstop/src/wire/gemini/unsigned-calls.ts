import { isRecord } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Content } from "./encode-messages.ts";

/** Models that refuse a call without a proof of the thinking before it: all since Gemini 3, by whatever name. */
const STRICT_MODEL = /(?:^|\/)gemini-(?![12](?:\D|$))/iu;

/** Google's word for a call that another model has made, or that was made up. It stands where the proof would. */
const NO_PROOF = "skip_thought_signature_validator";

/**
 * Says of calls without a proof that they have none, where the model would refuse them: they are another model's, or a
 * client has lost it, whose dialect has no place for it. Of calls side by side only the first has one.
 */
export function markUnsignedCalls(contents: readonly Content[], model: string): readonly Content[] {
  if (!STRICT_MODEL.test(model)) return contents;
  return contents.map(({ role, parts }) => ({ role, parts: role === "model" ? markFirst(parts) : parts }));
}

function markFirst(parts: readonly JsonRecord[]): readonly JsonRecord[] {
  const first = parts.findIndex((part) => isRecord(part["functionCall"]));
  const call = parts[first];
  if (call === undefined || call["thoughtSignature"] !== undefined) return parts;
  return parts.with(first, { ...call, thoughtSignature: NO_PROOF });
}
