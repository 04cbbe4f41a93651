import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { createFolder } from "../support/folder.ts";
import { get } from "../support/gateway.ts";
import { familiesOf, fetchMetrics } from "../support/metrics.ts";
import { startServe } from "../support/serve.ts";
import type { ServeProcess } from "../support/serve.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const deploy = path.join(root, "deploy");
const read = (name: string): string => readFileSync(path.join(deploy, name), "utf8");

const folder = createFolder();
const running: ServeProcess[] = [];

/** Starts a server as the container does. */
async function startContainer(env: Readonly<Record<string, string>>): Promise<ServeProcess> {
  const program = [path.join(deploy, "entrypoint.mjs")];
  const server = await startServe(["--port", "0"], { cwd: folder.path("."), env, program });
  running.push(server);
  return { ...server, url: server.url.replace("0.0.0.0", "127.0.0.1") };
}

afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill("SIGKILL");
    await exit;
  }
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe("the dashboard", () => {
  interface Panel {
    readonly type: string;
    readonly targets?: readonly { readonly expr: string }[];
  }
  const { panels } = JSON.parse(read("grafana/dashboards/fullstop.json")) as { readonly panels: readonly Panel[] };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it("shows every family of the gateway, and nothing that does not exist", async () => {
    const file = folder.path("dashboard-key");
    const { url } = await startContainer({ FULLSTOP_KEY_FILE: file });
    const families = familiesOf(await fetchMetrics(url, bearer(readFileSync(file, "utf8"))));
    const named = queries.flatMap((query) => query.match(/\b(?:fullstop|process|nodejs)_\w+/gu) ?? []);
    const shown = new Set(named.map((name) => name.replace(/_bucket$/u, "")));
    expect([...shown].filter((name) => !families.has(name))).toEqual([]);
    const own = [...families].filter((name) => name.startsWith("fullstop_"));
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter((name) => !shown.has(name))).toEqual([]);
  });

  it("has a query in every panel", () => {
    const empty = panels.filter(({ type, targets = [] }) => type !== "row" && targets.length === 0);
    expect(empty).toEqual([]);
    expect(queries.length).toBeGreaterThan(15);
  });
});

describe("the container's files", () => {
  it("are all there", () => {
    const dockerfile = read("Dockerfile");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?<source>\S+)/gmu)].map(
      (match) => match.groups!["source"]!,
    );
    const built = [...dockerfile.matchAll(/^COPY --from=build \/app\/(?<source>\S+)/gmu)].map(
      (match) => match.groups!["source"]!,
    );
    expect(built).toContain("packages");
    expect([...copied, ...built].filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
    expect(dockerfile).toMatch(/^USER node$/mu);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\/healthz/mu);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", .*"deploy\/entrypoint\.mjs"\]$/mu);

    const compose = read("compose.yaml");
    const mounted = [...compose.matchAll(/^ +- (?<source>\.\/[^:]+):/gmu)].map((match) => match.groups!["source"]!);
    expect(mounted).toContain("./prometheus.yml");
    expect(mounted.filter((name) => !existsSync(path.join(deploy, name)))).toEqual([]);
    expect(compose).toContain("dockerfile: deploy/Dockerfile");
  });

  it("agree with each other", () => {
    const compose = read("compose.yaml");
    expect(() => parseConfig(JSON.parse(read("fullstop.config.json")))).not.toThrow();
    expect(read("prometheus.yml")).toContain("credentials_file: /run/fullstop/key");
    expect(compose).toContain("key:/run/fullstop:ro");
    expect(read("entrypoint.mjs")).toContain('"/run/fullstop/key"');
    expect(read("prometheus.yml")).toContain("gateway:8787");
    // What the pages say of the container's environment is said of the environment of Compose.
    for (const variable of ["FULLSTOP_KEY", "FULLSTOP_KEY_SHA256", "FULLSTOP_LOG_LEVEL"]) {
      expect(compose).toContain(`\n      ${variable}: \${${variable}:-}\n`);
    }
    const service = /^ {4}url: http:\/\/(?<name>\w+):9090$/mu.exec(
      read("grafana/provisioning/datasources/prometheus.yaml"),
    );
    expect(compose).toContain(`\n  ${service?.groups?.["name"]}:\n`);
    const { path: dashboards } = /path: (?<path>\S+)/u.exec(
      read("grafana/provisioning/dashboards/fullstop.yaml"),
    )!.groups!;
    expect(compose).toContain(`./grafana/dashboards:${dashboards}:ro`);
  });
});

describe("a container", () => {
  it("makes up a key at its first start, keeps it, and shows it to nobody", async () => {
    const file = folder.path("made-up-key");
    const first = await startContainer({ FULLSTOP_KEY_FILE: file });
    const key = readFileSync(file, "utf8");
    expect(key).toMatch(/^[\w-]{32}$/u);
    expect((await get(`${first.url}/v1/models`)).status).toBe(401);
    expect((await get(`${first.url}/v1/models`, bearer(key))).status).toBe(200);
    expect(first.stdout()).toMatch(/^fullstop is listening on /u);
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(first.stdout() + first.stderr()).not.toContain(key);
    const second = await startContainer({ FULLSTOP_KEY_FILE: file });
    expect((await get(`${second.url}/v1/models`, bearer(key))).status).toBe(200);
  });

  it("takes the key that it is given, and leaves it for whoever reads the metrics", async () => {
    const file = folder.write("given-key", "an-older-key");
    const { url } = await startContainer({ FULLSTOP_KEY_FILE: file, FULLSTOP_KEY: "open-sesame" });
    expect((await get(`${url}/v1/models`, bearer("an-older-key"))).status).toBe(401);
    expect((await get(`${url}/v1/models`, bearer("open-sesame"))).status).toBe(200);
    expect(readFileSync(file, "utf8")).toBe("open-sesame");
  });
});
