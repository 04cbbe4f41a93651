import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile } from "../support/gateway.ts";
import { requestOf, sendRaw, statusesOf } from "./raw-http.ts";
import { routesOf } from "./routes.ts";

const KEY = "alice-key-0123456789";
const ALLOWED = "https://app.example";
const open = await openGatewayForFile();
const allowing = await openGatewayForFile({ allowedOrigins: [ALLOWED] });
const keyed = await openGatewayForFile({ allowedOrigins: [ALLOWED], keys: [{ name: "alice", sha256: hashOf(KEY) }] });

const ROUTES = routesOf("ask", "models", "list", "one", "operators").map(({ method, path }) => ({
  line: `${method} ${path.replace("{id}", "resp_1").replace("{model}", "pip")}`,
}));

describe("a page of another site, where there are no keys", () => {
  it.each(ROUTES)("is let in nowhere: $line", async ({ line }) => {
    for (const headers of [
      ["Origin: https://evil.example"],
      ["Origin: null"],
      // What a page embeds, such as an image or a script, has no origin.
      ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"],
      ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"],
    ]) {
      expect(statusesOf(await sendRaw(open, requestOf(line, headers)))).toEqual([403]);
    }
  });

  it("is let in by its own origin and by the name of this machine, and so are programs and people", async () => {
    for (const headers of [
      [],
      ["Sec-Fetch-Site: none"],
      ["Sec-Fetch-Site: same-origin"],
      ["Origin: http://127.0.0.1"],
    ]) {
      expect(statusesOf(await sendRaw(open, requestOf("GET /v1/models", headers)))).toEqual([200]);
    }
    const headers = [`Origin: ${ALLOWED}`, "Sec-Fetch-Site: cross-site"];
    expect(statusesOf(await sendRaw(allowing, requestOf("GET /v1/models", headers)))).toEqual([200]);
  });
});

describe("a browser", () => {
  it("has nothing that it sends along by itself: a stop needs a key that the page knows", async () => {
    const page = await sendRaw(keyed, requestOf("GET /"));
    expect(page).not.toMatch(/^set-cookie:/imu);
    const headers = [`Origin: ${ALLOWED}`, `Cookie: key=${KEY}`, "Sec-Fetch-Site: cross-site"];
    for (const line of [
      "POST /v1/generations/stop",
      "POST /v1/generations/resp_1/stop",
      "DELETE /v1/generations/resp_1",
    ]) {
      expect(statusesOf(await sendRaw(keyed, requestOf(line, headers)))).toEqual([401]);
    }
  });

  it("is never told that other origins may send what it keeps for this one", async () => {
    for (const origin of [ALLOWED, "https://evil.example", "null"]) {
      const headers = [
        `Origin: ${origin}`,
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization",
      ];
      const answer = await sendRaw(keyed, requestOf("OPTIONS /v1/generations/stop", headers));
      expect(answer).not.toMatch(/access-control-allow-credentials/iu);
      expect(/access-control-allow-origin: (?<origin>.*)\r/iu.exec(answer)?.groups?.["origin"]).toBe(
        origin === ALLOWED ? ALLOWED : undefined,
      );
    }
  });

  it("shows the page in no frame of another, and takes no file of it for what it is not", async () => {
    const response = await fetch(`${keyed.url}/`);
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/u);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    await response.body?.cancel();
  });

  it("takes an error for JSON, whatever stands in it", async () => {
    const answer = await sendRaw(keyed, requestOf("GET /<script>alert(1)</script>"));
    expect(answer).toMatch(/^content-type: application\/json/imu);
  });
});
