import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { POLICIES, decide } from "../../src/decide/index.ts";
import type { TerminationSignal } from "../../src/index.ts";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { DecodeOptions, WireFormatName } from "../../src/wire/index.ts";
import { contextOf } from "../decide/contexts.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { same } from "../support/same.ts";
import { awsJsonFrame, dataEvents, lines, toBytes } from "../support/wire-bodies.ts";

const FORMATS = Object.keys(ANSWER_FORMATS) as WireFormatName[];

function signalOf(format: WireFormatName, body: string | Uint8Array, options?: DecodeOptions): TerminationSignal {
  const bytes = typeof body === "string" ? toBytes(body) : body;
  return tell(decodeChunks(ANSWER_FORMATS[format], [bytes], options)).signal;
}

/** An error of Anthropic's with what it says of the cause. */
function limited(details: unknown): object {
  return { type: "rate_limit_error", message: "No", details };
}

/** What an agent does next after an ending that nobody has seen. */
function actionAfter(signal: TerminationSignal): string {
  return decide(signal, contextOf(), POLICIES.agent).suggestedAction;
}

/** Errors as they come after a status that said that all was well, with the detail they have. */
const ERRORS: readonly (readonly [detail: string, error: unknown])[] = [
  ["provider_error", { error: { message: "Upstream failed" } }],
  ["provider_error", { error: "model runner crashed" }],
  ["provider_error", { error: "the generation failed", error_type: "generation" }],
  ["provider_error", { type: "error", message: "it broke" }],
  ["provider_error", { error: true, message: "it broke" }],
  ["invalid_request", { object: "error", message: "too long", type: "BadRequestError", param: null, code: 400 }],
  ["provider_error", { error: { message: "it broke", status: 200 } }],
  ["provider_error", { error: { message: "it broke", code: "unmapped" } }],
  ["overloaded", { error: { message: "busy", type: "overloaded_error" } }],
  ["overloaded", { error: "busy", error_type: "overloaded" }],
  ["server_error", { error: { message: "it broke", code: 502 } }],
  ["invalid_request", { error: { message: "no such field", type: "invalid_request_error" } }],
];

const CASES = FORMATS.flatMap((format) => ERRORS.map(([detail, error]) => ({ format, detail, error })));

describe("an error after a status of 200", () => {
  it.each(CASES)("is in $format what it is without a status: $detail of $error", ({ format, detail, error }) => {
    const bodies = [dataEvents(error), `event: error\n${dataEvents(error)}`, lines(error)];
    for (const body of bodies) {
      const signal = signalOf(format, body);
      expect(signal).toMatchObject({ reason: "error_termination", detail });
      expect(signalOf(format, body, { status: 200 })).toEqual(signal);
      expect(JSON.stringify(signal.providerSpecific)).not.toContain("200");
    }
    const whole = tell(ANSWER_FORMATS[format].decodeResponse(error)).signal;
    expect(whole).toMatchObject({ reason: "error_termination", detail });
    expect(tell(ANSWER_FORMATS[format].decodeResponse(error, { status: 200 })).signal).toEqual(whole);
  });

  it.each([false, 0, null, "", [], {}])("is none where the field for it says %j", (error) => {
    const choice = { index: 0, delta: { content: "Hi" }, finish_reason: "stop" };
    const body = dataEvents({ id: "c", choices: [choice], error }, "[DONE]");
    expect(signalOf("openai-chat", body)).toMatchObject({ reason: "natural_completion" });
  });

  it("is so in frames of AWS as well", () => {
    const frame = awsJsonFrame(
      { ":message-type": "exception", ":exception-type": "modelStreamErrorException" },
      { message: "it broke" },
    );
    const signal = signalOf("bedrock-converse", frame);
    expect(signal).toMatchObject({ providerSpecific: { originalValue: "modelStreamErrorException" } });
    expect(signalOf("bedrock-converse", frame, { status: 200 })).toEqual(signal);
  });

  it("is asked for once more, unless its own words speak against that", () => {
    expect(ERRORS.map(([, error]) => actionAfter(signalOf("openai-chat", dataEvents(error), { status: 200 })))).toEqual(
      ERRORS.map(([detail]) => (detail === "invalid_request" ? "stop" : "retry")),
    );
  });
});

describe("where the word for an error stood", () => {
  it.each([
    ["in the body", 500, '{"error":{"message":"it broke","type":"api_error"}}', "error", "api_error"],
    ["in the body, as a status", 500, '{"error":{"message":"it broke","status_code":503}}', "error", "503"],
    ["in the status line alone", 500, '{"error":{"message":"it broke"}}', "status", "500"],
    ["nowhere", 200, '{"error":{"message":"it broke"}}', "error", ""],
  ])("is told: %s", (_where, status, body, originalField, originalValue) => {
    const { providerSpecific, message } = signalOf("openai-chat", body, { status });
    expect({ ...providerSpecific, message }).toMatchObject({ originalField, originalValue, message: "it broke" });
  });
});

describe("the finer word for an error", () => {
  it.each([
    ["beside the message", { type: "requests", message: "No", code: "rate_limit_exceeded" }, "rate_limit_exceeded"],
    ["with the details, as Anthropic has it", limited({ error_code: "spend_limit_reached" }), "spend_limit_reached"],
    ["nowhere", limited(null), undefined],
    ["nowhere, beside details of Google's", limited([{ reason: "RATE_LIMIT_EXCEEDED" }]), undefined],
  ])("is found %s", (_where, error, code) => {
    for (const status of [200, 429]) {
      const signal = signalOf("anthropic-messages", JSON.stringify({ type: "error", error }), { status });
      expect(signal).toMatchObject({ reason: "error_termination", detail: "rate_limited", message: "No" });
      expect(signal.providerSpecific.metadata?.["code"]).toBe(code);
    }
  });
});

describe("an error that a router has from the provider it has asked", () => {
  const raw = {
    error: { message: "Only 1 image.", type: "invalid_request_error", param: "messages", code: "too_many" },
  };

  it.each([
    ["as JSON in a text", JSON.stringify(raw), "Provider returned error: Only 1 image."],
    ["as JSON", raw, "Provider returned error: Only 1 image."],
    ["as a list, as Google's are", JSON.stringify([raw]), "Provider returned error: Only 1 image."],
    ["as a sentence", "Busy upstream. Retry shortly.", "Provider returned error: Busy upstream. Retry shortly."],
    ["as a web page", "<html><h1>502</h1></html>", "Provider returned error"],
    ["as nothing", "", "Provider returned error"],
    ["not at all", undefined, "Provider returned error"],
  ])("tells what that has said: %s", (_how, told, message) => {
    const error = { message: "Provider returned error", code: 400, metadata: { raw: told, provider_name: "Any" } };
    for (const body of [
      { error, user_id: "user_1" },
      { id: "gen-1", choices: [], error },
    ]) {
      const signal = signalOf("openai-chat", JSON.stringify(body), { status: 400 });
      expect(signal).toMatchObject({ detail: "invalid_request", message });
    }
  });

  it("is known by that provider's words for it", () => {
    const error = { message: "Provider returned error", code: 400, metadata: { raw: JSON.stringify(raw) } };
    const { providerSpecific } = signalOf("openai-chat", JSON.stringify({ error }), { status: 400 });
    expect(providerSpecific).toEqual({
      originalField: "error",
      originalValue: "invalid_request_error",
      metadata: { type: "invalid_request_error", code: "too_many", status: 400, param: "messages" },
    });
  });
});

describe("an error with a status of 200 and in no field for errors", () => {
  it.each([
    ["FastAPI's", { detail: "Not Found" }, "Not Found", "provider_error"],
    ["MiniMax's", { base_resp: { status_code: 1004, status_msg: "login fail" } }, "login fail", "provider_error"],
    ["a gateway's", { code: 401, msg: "unauthorised", data: null }, "unauthorised", "authentication"],
    ["a bare sentence", { message: "No quota left", choices: null }, "No quota left", "provider_error"],
  ])("is told in its words: %s", (_whose, body, message, detail) => {
    const text = JSON.stringify(body);
    for (const told of [text, dataEvents(body)]) {
      const signal = signalOf("openai-chat", told, { status: 200 });
      expect(signal).toMatchObject({ reason: "error_termination", detail, message });
    }
  });

  it("is none where an answer has begun, or nothing is said", () => {
    const chunk = { id: "c", choices: [{ index: 0, delta: { content: "Hi" } }], message: "well" };
    expect(signalOf("openai-chat", dataEvents(chunk), { status: 200 })).toMatchObject({ detail: "truncated" });
    const quiet = { base_resp: { status_code: 0, status_msg: "" } };
    expect(signalOf("openai-chat", JSON.stringify(quiet), { status: 200 })).toMatchObject({ detail: "truncated" });
  });
});

const PAGE = "<!doctype html><html><title>503 Service Unavailable</title><h1>nginx</h1></html>";

describe("a web page", () => {
  it.each([
    [408, "timeout", "retry"],
    [429, "rate_limited", "retry"],
    [500, "server_error", "retry"],
    [502, "server_error", "retry"],
    [503, "overloaded", "retry"],
    [504, "timeout", "retry"],
    [522, "server_error", "retry"],
    [400, "invalid_request", "stop"],
    [401, "authentication", "stop"],
    [402, "quota", "stop"],
    [403, "permission", "stop"],
    [404, "not_found", "stop"],
  ])("with status %i is %s, and the next step is to %s", (status, detail, action) => {
    for (const format of FORMATS) {
      const signal = signalOf(format, PAGE, { status });
      expect(signal).toMatchObject({
        reason: "error_termination",
        detail,
        message: "The server answered with a web page: 503 Service Unavailable",
        providerSpecific: {
          originalField: "status",
          originalValue: String(status),
          metadata: { status, body: "html" },
        },
      });
      expect(actionAfter(signal)).toBe(action);
    }
  });

  it.each([undefined, 200])("with status %s is no answer, and asking again would not help", (status) => {
    const signal = signalOf("openai-chat", PAGE, { status });
    expect(signal).toMatchObject({
      detail: "not_an_answer",
      providerSpecific: { originalField: "body", originalValue: "html" },
    });
    expect(actionAfter(signal)).toBe("stop");
  });

  it("has the same title however it is cut", () => {
    const page = toBytes(`<!doctype html>${" ".repeat(1_900)}<title>${"x".repeat(100)}</title>${"y".repeat(3_000)}`);
    const whole = decodeChunks(ANSWER_FORMATS["openai-chat"], [page]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (positions) => {
        same(decodeChunks(ANSWER_FORMATS["openai-chat"], cutBytesAt(page, positions)), whole);
      }),
    );
  });
});

describe("the text of an error that is not JSON", () => {
  it.each([
    ["Internal Server Error", "Internal Server Error"],
    ["upstream connect error or disconnect/reset before headers. reset reason: overflow\n"],
    ["no healthy upstream\r\n\r\nask somebody else\r\n", "no healthy upstream ask somebody else"],
    ["[Errno 111] Connection refused"],
    ['"slow down"'],
    ['{"error":{"message":"it bro'],
    ['data: {"error":{"message":"it bro'],
    ["error: out of memory"],
  ])("%s is kept", (body, message = body.trim()) => {
    for (const format of FORMATS) {
      expect(signalOf(format, body, { status: 503 })).toMatchObject({
        detail: "overloaded",
        message,
        providerSpecific: { originalField: "status", originalValue: "503" },
      });
    }
  });

  it.each<[string, object]>([
    ["Field required", { detail: [{ loc: ["body", "messages"], msg: "Field required", input: "a secret" }] }],
    ["Field required", { object: "error", message: { detail: [{ msg: "Field required", input: "a secret" }] } }],
    ["No such model", { success: false, errors: [{ code: 7003, message: "No such model" }] }],
    ["No such model", { errors: ["No such model"] }],
    ["No such model", { message: "", detail: "No such model" }],
    ["No such model", { error: { detail: [{ msg: "No such model" }] } }],
    ["The provider reported an error", { detail: [], errors: [null], message: { detail: [7] } }],
  ])("is found where it stands in JSON: %s", (message, body) => {
    const signal = signalOf("openai-chat", JSON.stringify(body), { status: 422 });
    expect(signal).toMatchObject({ detail: "invalid_request", message });
    expect(JSON.stringify(signal)).not.toContain("secret");
  });

  it("is bounded, and holds no key", () => {
    const { message = "" } = signalOf("openai-chat", `bad key sk-abcdefghijklmnopqrst ${"very ".repeat(100_000)}`, {
      status: 401,
    });
    expect(message).toMatch(/^bad key \[redacted\] very very/u);
    expect(message.length).toBeLessThan(310);
  });

  it("is the same however it is cut", () => {
    const bytes = toBytes(`äöü ${"no healthy upstream\r\n".repeat(200)}`);
    const whole = decodeChunks(ANSWER_FORMATS["openai-chat"], [bytes], { status: 502 });
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 8 }), (positions) => {
        const cut = decodeChunks(ANSWER_FORMATS["openai-chat"], cutBytesAt(bytes, positions), { status: 502 });
        same(cut, whole);
      }),
    );
  });

  it.each(["", "  \n", "{}"])("is a sentence of ours where there is none: %j", (body) => {
    expect(signalOf("openai-chat", body, { status: 500 }).message).toBe("The provider reported an error");
  });
});
