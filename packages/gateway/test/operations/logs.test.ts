import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { Gatekeeper } from "../../src/access/gatekeeper.ts";
import { parseConfig } from "../../src/config/config.ts";
import { createServer } from "../../src/server.ts";
import { openGateway, post, whenWriting } from "../support/gateway.ts";
import { createLogLines } from "../support/log-lines.ts";
import { openScripted } from "../support/scripted.ts";

const HELLO = [start(), reasoning("private thinking"), text("private änswer"), usage(9, 4), finish()];
const BODY = { model: "openai-chat/m", messages: [{ role: "user", content: "private question" }] };

async function openLogging(logs: object = {}) {
  const log = createLogLines();
  const gateway = await openScripted({ logs }, {}, log);
  gateway.script("openai-chat", HELLO);
  const ask = (more: object = {}) => post(`${gateway.url}/v1/chat/completions`, { ...BODY, ...more });
  return { ...gateway, log, ask };
}

describe("the log", () => {
  it("has one line for a generation, when it has ended, without what was written", async () => {
    const { ask, log } = await openLogging();
    const { headers } = await ask();
    expect(log.lines()).toEqual([
      {
        level: "info",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/u) as string,
        msg: "generation ended",
        id: headers.get("x-fullstop-generation-id"),
        owner: "anybody",
        model: "openai-chat/m",
        provider: "openai-chat",
        reason: "natural_completion",
        milliseconds: expect.any(Number) as number,
        firstOutputMilliseconds: expect.any(Number) as number,
        inputTokens: 9,
        outputTokens: 4,
        bytes: Buffer.byteLength("private thinkingprivate änswer"),
      },
    ]);
    expect(log.text()).not.toContain("private");
  });

  it("has another one for its start where more is wanted", async () => {
    const { ask, log } = await openLogging({ level: "debug" });
    await ask({ max_tokens: 5 });
    expect(log.lines().map(({ level, msg, maxOutputTokens }) => [level, msg, maxOutputTokens])).toEqual([
      ["debug", "generation started", 5],
      ["info", "generation ended", undefined],
    ]);
    expect(log.text()).not.toContain("private");
  });

  it("has what was written where the configuration says so", async () => {
    const { ask, log } = await openLogging({ content: true });
    await ask();
    expect(log.lines()[0]).toMatchObject({
      messages: [{ role: "user", content: [{ type: "text", text: "private question" }] }],
      text: "private änswer",
      reasoning: "private thinking",
    });
  });

  it("says who stopped a generation, while what, and how long that took", async () => {
    const gateway = await openLogging();
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, finish()]);
    const answer = gateway.ask();
    (await whenWriting(gateway)).stop("new_message");
    await answer;
    gate.open();
    expect(gateway.log.lines()[0]).toMatchObject({
      reason: "cancelled",
      detail: "new_message",
      stoppedBy: "new_message",
      phase: "answering",
      stopMilliseconds: expect.any(Number) as number,
      tokensEstimated: true,
    });
  });

  it("warns of an answer that failed, in codes and not in a provider's sentence", async () => {
    const { ask, log, ...gateway } = await openLogging();
    gateway.script("openai-chat", { status: 500, body: { error: { code: "broken", message: "private sentence" } } });
    await ask();
    expect(log.lines()[0]).toMatchObject({
      level: "warn",
      reason: "error_termination",
      detail: "server_error",
      errorCode: "broken",
      status: 500,
      failures: [{ provider: "openai-chat", detail: "server_error" }],
    });
    expect(log.text()).not.toContain("private");
  });

  it("has a line for a request that was refused: what it was, and neither its body nor its address", async () => {
    const { url, log } = await openLogging();
    await post(`${url}/v1/chat/completions?private=1`, { private: true });
    await fetch(`${url}/private/place`);
    expect(log.lines()).toEqual([
      {
        level: "info",
        time: expect.any(String) as string,
        msg: "request refused",
        method: "POST",
        route: "/v1/chat/completions",
        kind: "invalid_request",
        status: 400,
      },
      expect.objectContaining({ msg: "request refused", method: "GET", kind: "not_found", status: 404 }),
    ]);
    expect(log.text()).not.toContain("private");
  });

  it("has a mistake of the gateway's own with its stack, which the caller is not told", async () => {
    const log = createLogLines();
    const gateway = await openGateway({}, {}, log);
    class BrokenGatekeeper extends Gatekeeper {
      override admit(): never {
        throw new TypeError("cannot read the list");
      }
    }
    const broken = { ...gateway.house, gatekeeper: new BrokenGatekeeper([], parseConfig({})) };
    const app = createServer(broken, parseConfig({}));
    const response = await app.inject({ method: "POST", url: "/v1/messages", payload: "{}" });
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain("cannot read");
    expect(log.lines()).toEqual([
      expect.objectContaining({
        level: "error",
        status: 500,
        route: "/v1/messages",
        error: {
          type: "TypeError",
          message: "cannot read the list",
          stack: expect.stringContaining("logs.test.ts") as string,
        },
      }),
    ]);
    await app.close();
    await gateway.close();
  });

  it.each([
    ["its own level", { level: "silent" }, {}, 0],
    ["the environment's level, which counts more", { level: "silent" }, { FULLSTOP_LOG_LEVEL: "info" }, 1],
    ["an environment that says nothing", {}, { FULLSTOP_LOG_LEVEL: "" }, 1],
  ])("is as long as %s wants it", async (_, logs, environment, lines) => {
    const log = createLogLines();
    const gateway = await openGateway({ logs }, environment, log);
    await post(`${gateway.url}/v1/chat/completions`, {});
    expect(log.lines()).toHaveLength(lines);
    await gateway.close();
  });

  it("is refused at a level that does not exist", async () => {
    const refused = openGateway({}, { FULLSTOP_LOG_LEVEL: "loud" });
    await expect(refused).rejects.toThrow(/^FULLSTOP_LOG_LEVEL must be one of silent, .*, got "loud"$/u);
  });
});
