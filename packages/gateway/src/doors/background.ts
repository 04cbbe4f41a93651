import { openaiResponses } from "fullstop/wire";
import type { EncodedResponse } from "fullstop/wire";
import type { LiveGeneration } from "../generations/live-generation.ts";
import { keptEcho } from "../generations/record-labels.ts";
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
  if (background === true && "store" in rest && rest.store === false) {
    const why = "what runs in the background is found by its id, which store: false does not allow";
    throw new RequestError("invalid_request", `background cannot be true here: ${why}`, { param: "background" });
  }
  return { isBackground: background === true, body: rest };
}

/**
 * A response as it is shown to somebody who looks at it: on its way, or whole. Of its request it repeats what is known
 * to whoever asks for this, or else what was kept.
 */
export async function describeResponse(
  generation: GenerationView,
  echo: Readonly<Record<string, unknown>> = keptEcho(generation.labels),
): Promise<EncodedResponse["body"]> {
  const { id, model, startedAt, signal } = generation;
  const events = signal === undefined ? [{ type: "start", id, model } as const] : await generation.read();
  const created = Math.floor(startedAt / 1000);
  // The last event of a stream has all of the response, also of one that has failed before it had said anything: in one
  // piece that would be an error in place of a response, which it is only for whoever has asked for it.
  let last = "";
  const sink = openaiResponses.encodeStream({ created, echo })({
    push: (frame) => (last = frame),
    end: () => undefined,
  });
  for (const event of events) sink.push(event);
  const response = responseIn(last);
  if (response === undefined) throw new RequestError("not_found", `The response ${id} was just deleted`);
  return response;
}

/** The response that an event of a stream has. */
function responseIn(frame: string): EncodedResponse["body"] | undefined {
  const json = /^data: (?<json>.*)$/mu.exec(frame)?.groups?.["json"];
  const data: unknown = json === undefined ? undefined : JSON.parse(json);
  return isRecord(data) && isRecord(data["response"]) ? data["response"] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Waits until a generation can be found from everywhere, so that whoever is told its id can ask anybody for it. */
export async function whenRecorded({ log }: LiveGeneration): Promise<void> {
  for await (const _ of log.follow(0)) return;
}
