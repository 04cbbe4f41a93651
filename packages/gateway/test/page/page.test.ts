import { gunzipSync } from "node:zlib";
import fastify from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { readPageFiles } from "../../src/page/page-files.ts";
import { addPageRoutes } from "../../src/page/page-routes.ts";
import { createFolder } from "../support/folder.ts";
import { hashOf, openGatewayForFile } from "../support/gateway.ts";

const folder = createFolder();
const { url } = await openGatewayForFile({ keys: [{ name: "alice", sha256: hashOf("quiet") }] });

/** A server that serves what is in a folder, and nothing else. */
function serve(name: string) {
  const app = fastify();
  onTestFinished(() => app.close());
  addPageRoutes(app, readPageFiles(folder.path(name)));
  return app;
}

describe("the page", () => {
  it("is served without a key, with a policy that allows its own files only", async () => {
    const response = await fetch(url);
    const { headers } = response;
    expect(response.status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/u);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\bon\w+=|style=/u);
  });

  it("names files that can be kept for ever, and is itself looked at each time", async () => {
    const page = await fetch(url);
    const tag = page.headers.get("etag") ?? "";
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect((await fetch(url, { headers: { "if-none-match": tag } })).status).toBe(304);
    const scripts = [...(await page.text()).matchAll(/src="(?<address>[^"]+)"/gu)].map((each) => each[1]!);
    expect(scripts.length).toBeGreaterThan(0);
    const script = await fetch(new URL(scripts[0]!, url));
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  it("is compressed for those who take it so", async () => {
    folder.write("index.html", "<p>hello</p>".repeat(100));
    const app = serve(".");
    const zipped = await app.inject({ url: "/", headers: { "accept-encoding": "br, gzip" } });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    const plain = await app.inject("/");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  });

  it.each(["gzip;q=0", "gzip;q=00", "br, gzip;q=0.0", "gzip ; q=0.000 , br", "xgzip", "gzip-x", "identity"])(
    "is not compressed for those who do not: %s",
    async (accepted) => {
      folder.write("index.html", "<p>hello</p>".repeat(100));
      const response = await serve(".").inject({ url: "/", headers: { "accept-encoding": accepted } });
      expect(response.headers["content-encoding"]).toBeUndefined();
      expect(response.body).toContain("<p>hello</p>");
    },
  );

  it.each(["GZIP", "gzip;q=0.5, br", "br;q=1.0, gzip; q=0.001"])(
    "is compressed however that is said: %s",
    async (accepted) => {
      folder.write("index.html", "<p>hello</p>".repeat(100));
      const response = await serve(".").inject({ url: "/", headers: { "accept-encoding": accepted } });
      expect(response.headers["content-encoding"]).toBe("gzip");
    },
  );

  it("says how to build it where it was not", async () => {
    const response = await serve("nowhere").inject("/");
    expect(response.statusCode).toBe(503);
    expect(response.body).toContain("npm run prepare");
  });

  it("has no other file than its own", async () => {
    for (const address of ["/../package.json", "/assets/../../index.js", "/index.js", "/%2e%2e/package.json"]) {
      expect((await fetch(`${url}${address}`)).status).toBe(404);
    }
  });
});
