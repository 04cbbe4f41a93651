import type { GenerationSpec } from "./generation-spec.ts";

/** What is kept about a generation beside its events, by name. */
export type RecordLabels = Readonly<Record<string, string>>;

/** How many tokens a generation may write. */
export const TOKEN_LIMIT = "maxOutputTokens";

/** Present where whoever asked does not want to find the answer again. */
const UNSTORED = "unstored";

/** Present where nobody waits for the answer. */
const BACKGROUND = "background";

/** The labels of whoever asked, as JSON. */
const METADATA = "metadata";

/** How long the labels of whoever asked may be to be kept: what OpenAI takes of them, 16 of 512 characters. */
const MOST_METADATA = 16_384;

const NO_LABELS: RecordLabels = {};

/** What of a request is wanted later. The labels of whoever asked are content, and go where that may go. */
export function labelsOf({ request, isBackground = false }: GenerationSpec, keepsContent: boolean): RecordLabels {
  const { maxOutputTokens, metadata, store } = request;
  // Most requests say none of it.
  if (maxOutputTokens === undefined && metadata === undefined && store !== false && !isBackground) return NO_LABELS;
  const json = metadata === undefined || store === false || !keepsContent ? "" : JSON.stringify(metadata);
  return {
    ...(maxOutputTokens !== undefined && { [TOKEN_LIMIT]: String(maxOutputTokens) }),
    ...(json !== "" && json.length <= MOST_METADATA && { [METADATA]: json }),
    ...(store === false && { [UNSTORED]: "true" }),
    ...(isBackground && { [BACKGROUND]: "true" }),
  };
}

/** Whether there is anything to keep. */
export function hasLabels(labels: RecordLabels): boolean {
  return labels !== NO_LABELS;
}

/** Whether whoever asked wants to find the answer again (`store` of a request). */
export function isStored(labels: RecordLabels): boolean {
  return labels[UNSTORED] === undefined;
}

/** What a response that is looked at later repeats of its request. */
export function keptEcho(labels: RecordLabels): Readonly<Record<string, unknown>> {
  const json = labels[METADATA];
  const background = labels[BACKGROUND] !== undefined;
  return json === undefined ? { background } : { background, metadata: JSON.parse(json) as unknown };
}
