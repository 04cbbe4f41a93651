import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { openStore, stateFolder } from "../../src/stores/open-store.ts";
import type { OpenedStore } from "../../src/stores/open-store.ts";
import { createFolder } from "../support/folder.ts";

const folder = createFolder();

async function open(ownFile: string): Promise<OpenedStore> {
  const opened = await openStore({
    place: undefined,
    environment: { XDG_STATE_HOME: folder.path("state") },
    ownFile,
    onError: () => undefined,
  });
  onTestFinished(() => opened.store.close());
  return opened;
}

describe("a Redis that cannot be reached", () => {
  it("is told of as such, and does not keep anybody from starting", async () => {
    const problems: unknown[] = [];
    const { store, description } = await openStore({
      place: undefined,
      environment: { FULLSTOP_STORE: "redis://127.0.0.1:1" },
      ownFile: "one.db",
      onError: (error) => void problems.push(error),
    });
    onTestFinished(() => store.close());
    expect(description).toMatch(/^in Redis, as soon as it can be reached: .*ECONNREFUSED/u);
    expect(problems).not.toEqual([]);
  });
});

describe("the address of a Redis", () => {
  const openAt = (urls: string) =>
    openStore({ place: undefined, environment: { FULLSTOP_STORE: urls }, ownFile: "one.db", onError: () => undefined });

  it("may have commas in its password", async () => {
    const { store, description } = await openAt("redis://:a,b@127.0.0.1:1");
    onTestFinished(() => store.close());
    expect(description).toMatch(/^in Redis, as soon as it can be reached/u);
  });

  it("stands among others with commas between", async () => {
    const refusal: unknown = await openAt("redis://:hun,ter@localhost/1 , redis://:hun,ter@localhost").catch(String);
    expect(refusal).toBe(
      'ConfigError: FULLSTOP_STORE: A cluster is reached by redis:// or rediss:// with a host and without a database, got "redis://…@localhost/1"',
    );
  });

  it("is refused without telling any of its password", async () => {
    const refusal: unknown = await openAt("redis://:hunter2").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain('got "redis://…"');
  });

  it.each([
    ["FULLSTOP_STORE", undefined, { FULLSTOP_STORE: "redis://127.0.0.1:99999" }],
    ["REDIS_URL", { kind: "redis", urlEnv: "REDIS_URL" } as const, { REDIS_URL: "127.0.0.1:6379" }],
  ])("is refused by the name of its variable: %s", async (variable, place, environment) => {
    const opening = openStore({ place, environment, ownFile: "one.db", onError: () => undefined });
    await expect(opening).rejects.toThrow(new RegExp(`^${variable}: The URL of a Redis server is `, "u"));
  });
});

describe("the store of whoever has said nothing", () => {
  it.each(["", "state", "./state"])("is in their home where XDG_STATE_HOME is no absolute path: %j", async (state) => {
    const opened = await openStore({
      place: undefined,
      environment: { XDG_STATE_HOME: state, HOME: folder.path("home") },
      ownFile: "one.db",
      onError: () => undefined,
    });
    onTestFinished(() => opened.store.close());
    expect(opened.description).toBe(`in ${folder.path("home/.local/state/fullstop/one.db")}`);
  });

  it.each(["", "home"])("is in the home that the system knows of where HOME is no absolute path: %j", (home) => {
    expect(stateFolder({ HOME: home })).toBe(path.join(userInfo().homedir, ".local/state"));
  });

  it("is a file of the name that the command has for it, so that two commands do not share one", async () => {
    const [first, second] = [await open("one.db"), await open("two.db")];
    const files = ["one.db", "two.db"].map((name) => path.join(folder.path("state"), "fullstop", name));
    expect([first.description, second.description]).toEqual(files.map((file) => `in ${file}`));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("is in memory, documents as well, where another process has the file, and says so", async () => {
    await open("taken.db");
    const { store, description } = await open("taken.db");
    expect(description).toMatch(/^in memory, until the process ends, because the store ".+" is in use by another/u);
    await store.writeDocument("f", "n", "value", { keepMilliseconds: 60_000, expected: "none" });
    expect((await store.readDocument("f", "n"))?.value).toBe("value");
  });
});
