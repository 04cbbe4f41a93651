import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import path from "node:path";
import { afterAll } from "vitest";

/** A real nginx that is closed after the tests of a file. It listens on a socket of the file system. */
export interface Nginx {
  /** Sends a request as a client does who sees nginx only; resolves when the head of the answer has come. */
  ask(ask: NginxRequest): Promise<IncomingMessage>;
}

/** A request to nginx. */
interface NginxRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Starts nginx with the servers of a configuration, in a folder of its own.
 *
 * @param socket where `listen` of the configuration points
 */
export async function startNginx(folder: string, servers: string, socket: string): Promise<Nginx> {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "nginx.conf");
  // All that nginx would else write into folders of the system.
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${path.join(folder, kind)};`).join("\n");
  writeFileSync(
    file,
    `daemon off;\nworker_processes 1;\npid ${path.join(folder, "pid")};\nerror_log stderr notice;\n` +
      `events {}\nhttp {\naccess_log off;\n${temporary}\n${servers}\n}\n`,
  );
  const child = spawn("/usr/sbin/nginx", ["-e", "stderr", "-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  const exit = new Promise((resolve) => child.on("close", resolve));
  afterAll(async () => {
    child.kill("SIGTERM");
    await exit;
  });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("start worker process ")) resolve();
    });
    void exit.then((code) => reject(new Error(`nginx ended with ${String(code)}: ${said}`)));
  });
  return {
    ask: ({ path: target, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            socketPath: socket,
            path: target,
            method: body === undefined ? "GET" : "POST",
            headers: { host: "models.example.org", "content-type": "application/json", ...headers },
            // The certificate is our own.
            rejectUnauthorized: false,
          },
          resolve,
        );
        sent.on("error", reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
  };
}

/** Makes a certificate that nobody has signed, also for this machine. */
export function makeCertificate(certificate: string, key: string): void {
  const here = ["-addext", "subjectAltName=DNS:models.example.org,DNS:localhost,IP:127.0.0.1"];
  const names = ["-subj", "/CN=models.example.org", ...here, "-days", "1", "-nodes"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...names, "-keyout", key, "-out", certificate], {
    stdio: "ignore",
  });
}
