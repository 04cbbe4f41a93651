import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createFolder } from "../support/folder.ts";
import type { Folder } from "../support/folder.ts";
import { get } from "../support/gateway.ts";
import { runBin } from "../support/run.ts";
import { startServe } from "../support/serve.ts";

const PACKAGES = path.resolve(import.meta.dirname, "../../../../node_modules/@fullstop");

/** The same configuration in each kind of file: another name for Pip, which says in which file it stood. */
const FILES = {
  "fullstop.config.json": '{ "aliases": { "from-json": "pip" } }',
  "fullstop.config.mjs": 'export default { aliases: { "from-mjs": "pip" } };',
  "fullstop.config.js": 'module.exports = { aliases: { "from-js": "pip" } };',
  "fullstop.config.ts": 'const name: string = "from-ts";\nexport default { aliases: { [name]: "pip" } };',
};

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts the server in a folder and gives the other name it has for Pip. */
async function nameIn(folder: Folder, parameters: readonly string[] = []) {
  const { url, child, exit } = await startServe(["--port", "0", ...parameters], { cwd: folder.path(".") });
  ends.push(() => {
    child.kill("SIGKILL");
    return exit;
  });
  const { data } = (await get(`${url}/v1/models`)).body as { data: { id: string }[] };
  return data.map(({ id }) => id).find((id) => id !== "pip");
}

describe("the configuration of a folder", () => {
  const names = Object.keys(FILES) as (keyof typeof FILES)[];

  it.each(names.map((first, index) => ({ first, others: names.slice(index + 1) })))(
    "is $first, whatever of $others is there",
    async ({ first, others }) => {
      const folder = createFolder(onTestFinished);
      for (const name of [first, ...others]) folder.write(name, FILES[name]);
      expect(await nameIn(folder)).toBe(`from-${path.extname(first).slice(1)}`);
    },
  );

  it("may be missing", async () => {
    expect(await nameIn(createFolder(onTestFinished))).toBeUndefined();
  });

  it("may be written with the help of the package", async () => {
    const folder = createFolder(onTestFinished);
    mkdirSync(folder.path("node_modules"));
    symlinkSync(PACKAGES, folder.path("node_modules/@fullstop"));
    folder.write(
      "fullstop.config.ts",
      `import { defineConfig } from "@fullstop/gateway";
       import type { GatewayConfigInput } from "@fullstop/gateway";
       const aliases: GatewayConfigInput["aliases"] = { helped: "pip" };
       export default defineConfig({ aliases });`,
    );
    expect(await nameIn(folder)).toBe("helped");
  });

  it("that cannot be read is not taken for none", async () => {
    const folder = createFolder(onTestFinished);
    mkdirSync(folder.path("fullstop.config.json"));
    const { exitCode, stdout, stderr } = await runBin(["serve", "--port", "0"], { cwd: folder.path(".") });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^fullstop serve: cannot read .*fullstop\.config\.json: /u);
  });
});

describe("a configuration that is named", () => {
  const folder = createFolder();

  it.each([
    ["some.mjs", FILES["fullstop.config.mjs"], "from-mjs"],
    ["with-a-mark-of-windows.json", `\uFEFF${FILES["fullstop.config.json"]}`, "from-json"],
    ["some.cjs", FILES["fullstop.config.js"], "from-js"],
    ["some.ts", FILES["fullstop.config.ts"], "from-ts"],
    ["some.mts", FILES["fullstop.config.ts"], "from-ts"],
    ["some.txt", FILES["fullstop.config.json"], "from-json"],
  ])("may be %s", async (name, content, expected) => {
    expect(await nameIn(folder, ["--config", folder.write(name, content)])).toBe(expected);
  });

  it.each([
    ["throws", "bad.mjs", 'throw new Error("no luck");', /cannot import .*bad\.mjs: no luck/u],
    ["is no module", "bad.mjs", "export default {", /cannot import .*bad\.mjs: /u],
    ["has no default export", "bad.mjs", "export const port = 0;", /bad\.mjs: .* default export, got \{"port":0\}/u],
    ["has a field that is unknown", "bad.mjs", "export default { prot: 0 };", /bad\.mjs: .*prot/u],
    ["is a function", "bad.mjs", "export default () => ({});", /bad\.mjs: the file: /u],
    ["throws", "bad.ts", 'throw new Error("no " + ("luck" satisfies string));', /cannot import .*bad\.ts: no luck/u],
    ["is no module", "bad.ts", "export default {", /cannot import .*bad\.ts: /u],
    ["is not there", "missing.ts", undefined, /cannot import .*missing\.ts/u],
    ["is not there", "missing.mjs", undefined, /cannot import .*missing\.mjs/u],
  ])("is refused where it %s", async (_, name, content, message) => {
    const file = content === undefined ? folder.path(name) : folder.write(name, content);
    const { exitCode, stdout, stderr } = await runBin(["serve", "--port", "0", "--config", file]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^fullstop serve: /u);
    expect(stderr).toMatch(message);
  });
});
