import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { makeCertificate } from "../support/nginx.ts";

const folder = createFolder();
const certificate = folder.path("certificate.pem");
const key = folder.path("key.pem");

/** What a server says of the connection over which it was asked, and the body that was sent to it. */
interface Told {
  readonly host: string;
  readonly name: string | false;
  readonly protocol: string;
  readonly isSessionKnown: boolean;
  readonly body: string;
}

/**
 * Asks hosts one after the other, in a process that trusts our certificate: a program cannot be told to by itself. Every
 * connection is closed before the next request.
 */
async function askInTrust(hosts: readonly string[], trusted: string): Promise<readonly (Told | { error: string })[]> {
  const built = path.resolve(import.meta.dirname, "../../dist/upstream/upstream.js");
  const program = `
    import { createUpstream } from ${JSON.stringify(built)};
    const upstream = createUpstream();
    const told = [];
    for (const host of ${JSON.stringify(hosts)}) {
      try {
        const { body } = await upstream.fetch("https://" + host + ":${port}/", { body: "grüße" });
        told.push(await new Response(body).json());
      } catch (error) {
        told.push({ error: error.code });
      }
    }
    upstream.close();
    console.log(JSON.stringify(told));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted },
  });
  return JSON.parse(stdout) as readonly Told[];
}

let port = 0;
let stop: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  makeCertificate(certificate, key);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const socket = request.socket as TLSSocket & { readonly servername: string | false };
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { servername: name, alpnProtocol: protocol } = socket;
      const told = { name, protocol, isSessionKnown: socket.isSessionReused(), body };
      response.writeHead(200, { connection: "close" });
      // In two pieces, and more than one record.
      response.write(`{"host":${JSON.stringify(request.headers.host)},"more":"${"x".repeat(100_000)}",`);
      response.end(JSON.stringify(told).slice(1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  stop = () => new Promise((resolve) => void server.close(() => resolve()));
});
afterAll(() => stop());

describe("a connection over TLS", () => {
  it("asks for a host by its name, and takes up what the last connection there has agreed on", async () => {
    const [first, again, byAddress] = await askInTrust(["localhost", "localhost", "127.0.0.1"], certificate);
    const expected = { host: `localhost:${port}`, name: "localhost", protocol: "http/1.1", body: "grüße" };
    expect(first).toMatchObject({ ...expected, isSessionKnown: false });
    expect(again).toMatchObject({ ...expected, isSessionKnown: true });
    // An address is no name.
    expect(byAddress).toMatchObject({ ...expected, host: `127.0.0.1:${port}`, name: false, isSessionKnown: false });
  });

  it("is not made with a server that nobody vouches for", async () => {
    const other = folder.path("other.pem");
    makeCertificate(other, folder.path("other-key.pem"));
    expect(await askInTrust(["localhost"], other)).toEqual([
      { error: expect.stringMatching(/SELF_SIGNED/u) as string },
    ]);
  });
});
