import { FullstopError } from "../../errors.ts";
import { defineStopRules } from "../../stop/stop-rules.ts";
import type { StopRuleOptions, StopRules } from "../../stop/stop-rules.ts";
import { createTerminationSignal } from "../../termination.ts";
import { WIRE_FORMATS } from "../../wire/formats.ts";
import { recordOf } from "../../wire/json.ts";
import { prepareRequest } from "./prepare-request.ts";
import { isRequest } from "./recognise-request.ts";
import type { FetchInput, GenerationCall } from "./recognise-request.ts";
import { RULES_HEADER, readRuleHeader } from "./rule-headers.ts";

/** A request as it is sent, and the rules for its answer. */
export interface OutgoingCall {
  readonly input: FetchInput;
  readonly init: RequestInit | undefined;
  readonly rules: StopRules;
  readonly hasStopStrings: boolean;
}

/** The rules that hold for every call, as they were given and as they were compiled. */
export interface CommonRules {
  readonly given: StopRuleOptions;
  readonly compiled: StopRules;
}

/** Works out what is sent. Refuses what could not be guarded, with an error that says so. */
export function prepareCall(
  call: GenerationCall,
  input: FetchInput,
  init: RequestInit | undefined,
  common: CommonRules,
): OutgoingCall {
  refuseSeveral(call);
  const headers = new Headers(init?.headers ?? (isRequest(input) ? input.headers : undefined));
  const own = headers.get(RULES_HEADER);
  const wanted = own === null ? common.given : { ...common.given, ...readRuleHeader(own) };
  const { body, rules, hasStopStrings } = prepareRequest(call, wanted);
  const compiled = rules === common.given ? common.compiled : defineStopRules(rules);
  if (own === null && body === undefined) return { input, init, rules: compiled, hasStopStrings };
  headers.delete(RULES_HEADER);
  // Another body has another length, which whoever sends it knows best.
  if (body !== undefined) headers.delete("content-length");
  const changed = { ...init, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return isRequest(input)
    ? { input: remake(input, changed), init: undefined, rules: compiled, hasStopStrings }
    : { input, init: changed, rules: compiled, hasStopStrings };
}

/** A request that differs from another one. Its own class makes it: that of another realm would take it for an address. */
function remake(request: Request, changed: RequestInit): Request {
  const remade: unknown = Reflect.construct(request.constructor, [request, changed]);
  return isRequest(remade) ? remade : new Request(request, changed);
}

/** Several answers in one cannot be ended one by one, and to leave some of them unguarded would be worse than to say so. */
function refuseSeveral({ format, body }: GenerationCall): void {
  const [name, count] =
    format === "gemini"
      ? ["generationConfig.candidateCount", recordOf(body["generationConfig"])["candidateCount"]]
      : ["n", body["n"]];
  if (typeof count !== "number" || count <= 1) return;
  throw new FullstopError(
    "invalid_argument",
    `${name} must be 1 for answers that are guarded, got ${count}; ask several times, or with another fetch`,
  );
}

/** The answer to a request that was not sent, as the provider would refuse it, so that no client tries again. */
export function refuseCall({ format }: GenerationCall, { message }: FullstopError): Response {
  const signal = createTerminationSignal({
    reason: "error_termination",
    detail: "invalid_request",
    originalField: "request",
    originalValue: "invalid_request_error",
    message,
    metadata: { status: 400 },
  });
  const { status, body } = WIRE_FORMATS[format].encodeError(signal);
  return Response.json(body, { status });
}

/**
 * A response like another one with a body that may be shorter. Its length is then unknown; everything else stays, also
 * where it came from, which cannot be given to a new response.
 */
export function withBody(answer: Response, body: ReadableStream<Uint8Array>, isSame: boolean): Response {
  const { status, statusText, url, redirected } = answer;
  const headers = new Headers(answer.headers);
  if (!isSame) headers.delete("content-length");
  const response = new Response(body, { status, statusText, headers });
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
}
