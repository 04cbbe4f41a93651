import { openaiResponses } from "fullstop/wire";
import type { EncodedResponse } from "fullstop/wire";
import type { GenerationView } from "../generations/view.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";

/** A request's body, and whether it wants to be answered while nobody waits. */
interface TakenBackground {
  readonly isBackground: boolean;
  readonly body: unknown;
}

/** Takes out of a request for a response whether it is to run in the background, which only the gateway can see to. */
export function takeBackground(body: unknown): TakenBackground {
  if (typeof body !== "object" || body === null || !("background" in body)) return { isBackground: false, body };
  const { background, ...rest } = body;
  if (typeof background !== "boolean" && background !== null) {
    throw new RequestError("invalid_request", `background must be true or false, got ${quoteValue(background)}`);
  }
  return { isBackground: background === true, body: rest };
}

/** A response as it is shown to somebody who looks at it: on its way, or whole. */
export async function describeResponse(generation: GenerationView): Promise<EncodedResponse["body"]> {
  const { id, model, startedAt, signal } = generation;
  const created = Math.floor(startedAt / 1000);
  if (signal !== undefined) return openaiResponses.encodeResponse(await generation.read(), { created }).body;
  return { id, object: "response", created_at: created, status: "in_progress", model, output: [] };
}
