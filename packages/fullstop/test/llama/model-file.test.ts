import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { modelPath } from "@fullstop/pip";
import { build } from "esbuild";
import { resolveModelFile } from "node-llama-cpp";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FullstopError } from "../../src/index.ts";
import { ModelLoadError } from "../../src/llama/model-error.ts";
import { locateModel } from "../../src/llama/model-file.ts";
import type { LocateOptions } from "../../src/llama/model-file.ts";
import { PIP, createFolder, hashOf, openModelServer } from "./model-server.ts";
import type { ModelServer, SeenRequest, StatusReply } from "./model-server.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

async function failure(promise: Promise<unknown>): Promise<ModelLoadError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ModelLoadError) return error;
  throw new Error("expected a ModelLoadError", { cause: error });
}

const manifest = (rfilename: string): StatusReply => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ schemaVersion: 2, ggufFile: { rfilename, size: PIP.length } }),
});

/** A server with the routes of Hugging Face that are asked for: the manifest of a tag, and the files of a model. */
function openHub(tags: Readonly<Record<string, string>> = {}, files = Object.values(tags)): Promise<ModelServer> {
  return openModelServer(({ path: asked, userAgent }: SeenRequest) => {
    const [, tag = "none"] = /^\/v2\/someone\/pip-GGUF\/manifests\/(.+)$/u.exec(asked) ?? [];
    const file = tags[tag];
    if (file !== undefined) return userAgent === "llama-cpp" ? manifest(file) : { status: 200, body: "{}" };
    const [, name = ""] = /^\/someone\/pip-GGUF\/resolve\/(?:main|v2)\/(.+)$/u.exec(asked) ?? [];
    return files.includes(name) ? { file: PIP, headers: { "x-linked-etag": `"${hashOf(PIP)}"` } } : { status: 404 };
  });
}

describe("the embedded model", () => {
  it("is found by its name", async () => {
    expect(await locateModel("pip")).toBe(modelPath);
    expect(path.isAbsolute(modelPath)).toBe(true);
  });

  it("says which package is missing where it is not installed", async () => {
    const outfile = path.join(await createFolder(), "alone.mjs");
    const entry = path.resolve(import.meta.dirname, "../../src/llama/model-file.ts");
    // Bundled and put where no packages are, because there is no other way to have one missing.
    await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
    const alone = (await import(pathToFileURL(outfile).href)) as { locateModel: typeof locateModel };
    await expect(alone.locateModel("pip")).rejects.toMatchObject({
      kind: "not_found",
      message: "The embedded model is not installed: run npm install @fullstop/pip",
    });
  });
});

describe("a path", () => {
  it("is made absolute", async () => {
    const relative = path.relative(process.cwd(), modelPath);
    expect(await locateModel(relative)).toBe(modelPath);
    expect(await locateModel(modelPath)).toBe(modelPath);
  });

  it.each([
    { what: "nothing", content: "", says: "is empty" },
    { what: "a page", content: "\n<!doctype html>\n<html>", says: "looks like an HTML page" },
    { what: "a page in capitals", content: "<HTML><BODY>", says: "looks like an HTML page" },
    {
      what: "a Git LFS pointer",
      content: "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 7817152\n",
      says: "is a Git LFS pointer",
    },
    { what: "an error message", content: '{"error":"Entry not found"}', says: "looks like JSON" },
    { what: "an error message of a storage", content: '<?xml version="1.0"?><Error/>', says: "looks like XML" },
    { what: "a PyTorch file", content: "PK\u0003\u0004archive", says: "is a ZIP archive" },
    {
      what: "a safetensors file",
      content: '\u0010\0\0\0\0\0\0\0{"__metadata__":',
      says: "looks like a safetensors file",
    },
    { what: "something else", content: "ggjt\u0001\0\0\0", says: 'is not a GGUF file: it begins with "ggjt"' },
    { what: "less than the magic", content: "GGU", says: 'is not a GGUF file: it begins with "GGU"' },
    { what: "the magic alone", content: "GGUF\u0003\0\0\0", says: "is cut off within its header" },
    { what: "noise behind the magic", content: `GGUF${"\u00FF".repeat(40)}`, says: "has a damaged header" },
  ])("to a file that is no model says what it is: $what", async ({ content, says }) => {
    const file = path.join(await createFolder(), "model.gguf");
    writeFileSync(file, content, "latin1");
    const error = await failure(locateModel(file));
    expect(error.kind).toBe("invalid_file");
    expect(error.message).toContain(`${JSON.stringify(file)} ${says}`);
    expect(existsSync(file)).toBe(true);
  });

  it("to a folder says so", async () => {
    const folder = await createFolder();
    expect(await failure(locateModel(folder))).toMatchObject({
      kind: "invalid_file",
      message: `${JSON.stringify(folder)} is a folder, not a model file`,
    });
  });

  it("to something that cannot be read says so", async () => {
    const file = path.join(await createFolder(), "model.gguf");
    symlinkSync(file, file);
    const error = await failure(locateModel(file));
    expect([error.kind, error.message]).toEqual(["invalid_file", expect.stringContaining("cannot be read: ELOOP")]);
  });

  it("to what is no file does not wait for it", async () => {
    const error = await failure(locateModel("/dev/null"));
    expect([error.kind, error.message]).toEqual(["invalid_file", expect.stringContaining("is no file")]);
  });

  it("that leads through a file leads nowhere", async () => {
    const error = await failure(locateModel(path.join(modelPath, "model.gguf")));
    expect(error.kind).toBe("not_found");
  });

  it("that leads nowhere is said as it was given and in full", async () => {
    const error = await failure(locateModel("no/such/model.gguf"));
    const absolute = path.resolve("no/such/model.gguf");
    expect(error.kind).toBe("not_found");
    expect(error.message).toBe(
      `There is no file "no/such/model.gguf" (${absolute}): the folder ${path.dirname(absolute)} does not exist or cannot be read`,
    );
  });

  it.each([
    { names: [], says: /model\.gguf"$/u },
    { names: ["b.gguf", "a.GGUF", "notes.txt"], says: /; the models in that folder are a\.GGUF, b\.gguf$/u },
    { names: ["6", "5", "4", "3", "2", "1"].map((name) => `${name}.gguf`), says: / 1\.gguf, 2.*, 5\.gguf, …$/u },
  ])("that leads nowhere comes with the models beside it: $names", async ({ names, says }) => {
    const folder = await createFolder();
    for (const name of names) writeFileSync(path.join(folder, name), "");
    expect((await failure(locateModel(path.join(folder, "model.gguf")))).message).toMatch(says);
  });

  it("with a tilde is not expanded, and says so", async () => {
    expect((await failure(locateModel("~/model.gguf"))).message).toContain("the tilde is not expanded");
  });
});

describe("a model on the hub", () => {
  it.each([
    { model: "hf:someone/pip-GGUF:Q8_0", tag: "Q8_0", file: "pip-q8_0.gguf", name: "hf_someone_pip.Q8_0.gguf" },
    { model: "hf:someone/pip-GGUF:q8_0", tag: "q8_0", file: "pip-q8_0.gguf", name: "hf_someone_pip.Q8_0.gguf" },
    { model: "hf:someone/pip-GGUF", tag: "latest", file: "pip-Q4_K_M.gguf", name: "hf_someone_pip.Q4_K_M.gguf" },
    { model: "hf:someone/pip-GGUF", tag: "latest", file: "pip.gguf", name: "hf_someone_pip.gguf" },
    { model: "hf:someone/pip-GGUF", tag: "latest", file: "sub/pip-IQ2_XS.gguf", name: "hf_someone_pip.IQ2_XS.gguf" },
  ])("is found by its quantisation: $model is $file", async ({ model, tag, file, name }) => {
    const directory = await createFolder();
    const hub = await openHub({ [tag]: file });
    const options = { directory, endpoint: hub.origin };
    expect(await locateModel(model, options)).toBe(path.join(directory, name));
    expect(hub.requests.map((request) => request.path)).toEqual([
      `/v2/someone/pip-GGUF/manifests/${tag}`,
      `/someone/pip-GGUF/resolve/main/${file}`,
    ]);
    expect(readFileSync(path.join(directory, name)).equals(PIP)).toBe(true);
  });

  it.each([
    { model: "hf:someone/pip-GGUF/pip-q8_0.gguf", asked: "main/pip-q8_0.gguf", name: "hf_someone_pip-q8_0.gguf" },
    { model: "hf://someone/pip-GGUF/pip-q8_0.gguf", asked: "main/pip-q8_0.gguf", name: "hf_someone_pip-q8_0.gguf" },
    { model: "hf:someone/pip-GGUF/x y.gguf", asked: "main/x%20y.gguf", name: "hf_someone_pip-GGUF_x y.gguf" },
    { model: "hf:someone/pip-GGUF/a/b/pip.gguf", asked: "main/a/b/pip.gguf", name: "hf_someone_a__b_pip.gguf" },
    { model: "hf:someone/pip-GGUF/a/pip/pip.gguf", asked: "main/a/pip/pip.gguf", name: "hf_someone_a_pip.gguf" },
    { model: "hf:someone/pip-GGUF/pip.gguf#v2", asked: "v2/pip.gguf", name: "hf_someone_pip-GGUF_v2_pip.gguf" },
    {
      model: "{hub}/someone/pip-GGUF/resolve/main/pip.gguf?download=true",
      asked: "main/pip.gguf",
      name: "hf_someone_pip.gguf",
    },
    { model: "{hub}/someone/pip-GGUF/blob/main/pip.gguf", asked: "main/pip.gguf", name: "hf_someone_pip.gguf" },
  ])("is found by its file: $model", async ({ model, asked, name }) => {
    const directory = await createFolder();
    const hub = await openHub({}, [asked.replace(/^\w+\//u, "")]);
    const options = { directory, endpoint: hub.origin };
    const given = model.replace("{hub}", hub.origin);
    expect(await locateModel(given, options)).toBe(path.join(directory, name));
    expect(hub.requests.map((request) => request.path)).toEqual([`/someone/pip-GGUF/resolve/${asked}`]);
  });

  it("is found by the address of its page", async () => {
    const directory = await createFolder();
    const hub = await openHub({ latest: "pip-Q4_K_M.gguf" });
    const found = await locateModel(`${hub.origin}/someone/pip-GGUF`, { directory, endpoint: hub.origin });
    expect(path.basename(found)).toBe("hf_someone_pip.Q4_K_M.gguf");
  });

  it.each([
    { model: "hf:someone/pip-GGUF:Q8_0", tag: "Q8_0" },
    { model: "hf:someone/pip-GGUF", tag: "latest" },
    { model: "hf:someone/pip-GGUF/pip-q8_0.gguf", tag: "" },
    { model: "hf:someone/pip-GGUF/sub/pip-q8_0.gguf#v2", tag: "" },
  ])("is found by node-llama-cpp under the same name, and the other way round: $model", async ({ model, tag }) => {
    const directory = await createFolder();
    const hub = await openHub({ [tag]: "pip-q4_k_m.gguf" }, ["pip-q4_k_m.gguf", "pip-q8_0.gguf", "sub/pip-q8_0.gguf"]);
    const options = { directory, endpoint: hub.origin };
    const found = await locateModel(model, options);
    const endpoints = { huggingFace: hub.origin };
    expect(await resolveModelFile(model, { directory, download: false, cli: false, endpoints })).toBe(found);
    await hub.close();
    expect(await locateModel(model, options)).toBe(found);
  });

  it("in several files is found only when all of them are there", async () => {
    const directory = await createFolder();
    const parts = [
      "Q8_0/pip-Q8_0-00001-of-00003.gguf",
      "Q8_0/pip-Q8_0-00002-of-00003.gguf",
      "Q8_0/pip-Q8_0-00003-of-00003.gguf",
    ];
    const hub = await openHub({ Q8_0: parts[0] ?? "" }, parts);
    writeFileSync(path.join(directory, "hf_someone_pip.Q8_0-00002-of-00003.gguf"), PIP);
    const options = { directory, endpoint: hub.origin };
    const files = new Set<string>();
    const found = await locateModel("hf:someone/pip-GGUF:Q8_0", {
      ...options,
      onProgress: ({ file }) => files.add(file),
    });
    const names = [1, 2, 3].map((part) => `hf_someone_pip.Q8_0-0000${part}-of-00003.gguf`);
    expect(found).toBe(path.join(directory, names[0] ?? ""));
    expect(readdirSync(directory).toSorted()).toEqual(names);
    expect([...files]).toEqual([names[0], names[2]]);
    await hub.close();
    expect(await locateModel("hf:someone/pip-GGUF:Q8_0", options)).toBe(found);
  });

  it("is asked for with the token, which no other server gets to see", async () => {
    const storage = await openModelServer(() => ({ file: PIP }));
    const hub = await openModelServer(({ path: asked }) =>
      asked.startsWith("/v2/")
        ? manifest("pip-Q8_0.gguf")
        : { status: 302, headers: { location: `${storage.origin}/blob`, "x-linked-etag": `"${hashOf(PIP)}"` } },
    );
    const options = { directory: await createFolder(), endpoint: hub.origin, token: "secret" };
    await locateModel("hf:someone/pip-GGUF:Q8_0", options);
    await locateModel(`${storage.origin}/pip.gguf`, options);
    expect(hub.requests.map(({ authorization }) => authorization)).toEqual(["Bearer secret", "Bearer secret"]);
    expect(storage.requests.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  it("is looked for where the environment says, with its token, which is for nobody else", async () => {
    const own = await openHub({ Q8_0: "pip-q8_0.gguf" });
    const other = await openHub({ Q8_0: "pip-q8_0.gguf" });
    vi.stubEnv("HF_ENDPOINT", own.origin);
    vi.stubEnv("HF_TOKEN", "secret");
    await locateModel("hf:someone/pip-GGUF:Q8_0", { directory: await createFolder() });
    await locateModel("hf:someone/pip-GGUF:Q8_0", { directory: await createFolder(), endpoint: other.origin });
    expect(own.requests.map(({ authorization }) => authorization)).toEqual(["Bearer secret", "Bearer secret"]);
    expect(other.requests.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  it.each([
    {
      what: "no such quantisation",
      reply: { status: 404 },
      kind: "not_found",
      says: "check the name and the quantisation",
    },
    { what: "a strange one", reply: { status: 400 }, kind: "not_found", says: "check the name and the quantisation" },
    { what: "a closed model", reply: { status: 401 }, kind: "download_failed", says: "check the access token" },
    { what: "a broken server", reply: { status: 500 }, kind: "download_failed", says: "status 500" },
    { what: "no GGUF file", reply: { status: 200, body: "{}" }, kind: "not_found", says: "has no GGUF file" },
    {
      what: "nothing inside",
      reply: { status: 200, body: '{"ggufFile":{}}' },
      kind: "not_found",
      says: "has no GGUF file",
    },
    { what: "null", reply: { status: 200, body: "null" }, kind: "not_found", says: "has no GGUF file" },
    {
      what: "no JSON",
      reply: { status: 200, body: "<html>" },
      kind: "download_failed",
      says: "failed: Unexpected token",
    },
  ])("that is not there is said in words: $what", async ({ reply, kind, says }) => {
    const hub = await openModelServer(() => reply);
    const options = { directory: await createFolder(), endpoint: hub.origin };
    const error = await failure(locateModel("hf:someone/pip-GGUF:Q8_0", options));
    expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(says)]);
    expect(error.message).toContain("someone/pip-GGUF:Q8_0");
  });

  it("of a name that makes no sense is refused", async () => {
    for (const model of ["hf:", "hf:pip", "hf:some one/pip", "hf:someone/pip:Q8_0/pip.gguf", "hf:someone/pip/"]) {
      const error = await failure(locateModel(model));
      expect([error.kind, error.message]).toEqual(["not_found", expect.stringContaining("write hf:user/model:quant")]);
    }
  });

  it("is not asked for when the signal has fired", async () => {
    const hub = await openHub({ Q8_0: "pip-Q8_0.gguf" });
    const options = {
      directory: await createFolder(),
      endpoint: hub.origin,
      signal: AbortSignal.abort(new Error("no")),
    };
    await expect(locateModel("hf:someone/pip-GGUF:Q8_0", options)).rejects.toThrow("no");
    expect(hub.requests).toEqual([]);
  });

  it("can be guessed from a path that leads nowhere", async () => {
    const error = await failure(locateModel("someone/pip-GGUF:Q8_0"));
    // The folder `someone` is missing, which is said first; where there is one, the hint is given.
    expect(error.message).toContain("someone does not exist");
    const error2 = await failure(locateModel("packages/pip-GGUF"));
    expect(error2.message).toContain("write hf:packages/pip-GGUF");
  });
});

describe("an address", () => {
  it("is downloaded once, under a name that has all of it", async () => {
    const directory = await createFolder();
    const server = await openModelServer(() => ({ file: PIP }));
    const { host } = new URL(server.origin);
    const name = `${host.replace(":", "!")}_a_model.gguf`;
    const found = await locateModel(`${server.origin}/a/model.gguf?key=secret`, { directory });
    expect(found).toBe(path.join(directory, name));
    expect(await locateModel(`${server.origin}/a/model.gguf?key=other`, { directory })).toBe(found);
    expect(server.requests.map((request) => request.path)).toEqual(["/a/model.gguf?key=secret"]);
    await locateModel(`${server.origin}/b/model.gguf`, { directory });
    await locateModel(`${server.origin}/get?id=7`, { directory });
    await locateModel(`${server.origin}/get?id=8&bad=%zz`, { directory });
    expect(readdirSync(directory)).toHaveLength(4);
  });

  it("does not repeat the secrets of an address in a message", async () => {
    const server = await openModelServer(() => ({ status: 404 }));
    const error = await failure(
      locateModel(`${server.origin}/model.gguf?key=secret`, { directory: await createFolder() }),
    );
    expect(error.message).toContain(`${server.origin}/model.gguf cannot`);
    expect(error.message).not.toContain("secret");
  });

  it.each([
    "http://",
    "https://user@example.com/model.gguf",
    "https://user:password@example.com/model.gguf",
    "http://exa mple/model.gguf",
  ])("that cannot be used is refused: %s", async (model) => {
    const error = await failure(locateModel(model));
    expect([error.kind, error.message]).toEqual(["not_found", expect.stringMatching(/^The model must be an http/u)]);
    expect(error.message).not.toContain("password@");
  });

  it("of a piece that is no model is refused", async () => {
    const model = "http://127.0.0.1/model.gguf.part1of3";
    expect((await failure(locateModel(model))).message).toContain("has to be joined first");
  });

  it("whose file has come to be something else is not loaded", async () => {
    const directory = await createFolder();
    const server = await openModelServer(() => ({ file: PIP }));
    const found = await locateModel(`${server.origin}/model.gguf`, { directory });
    writeFileSync(found, "<html>");
    const error = await failure(locateModel(`${server.origin}/model.gguf`, { directory }));
    expect(error.message).toBe(
      `${found}, which was downloaded before, looks like an HTML page, such as a page to sign in or of an error`,
    );
  });

  it("goes to a folder that is made for it", async () => {
    const directory = path.join(await createFolder(), "new", "models");
    const server = await openModelServer(() => ({ file: PIP }));
    expect(path.dirname(await locateModel(`${server.origin}/model.gguf`, { directory }))).toBe(directory);
  });

  it("goes to node-llama-cpp's folder where none is given", async () => {
    const home = await createFolder();
    vi.stubEnv("HOME", home);
    const server = await openModelServer(() => ({ file: PIP }));
    const found = await locateModel(`${server.origin}/model.gguf`);
    expect(path.dirname(found)).toBe(path.join(home, ".node-llama-cpp", "models"));
  });
});

describe("what is no call", () => {
  it.each([
    { what: "no model", model: "", options: {} },
    { what: "a model that is no text", model: 7, options: {} },
    { what: "an unknown option", model: "pip", options: { folder: "x" } },
    { what: "a folder that is no text", model: "pip", options: { directory: 7 } },
    { what: "a listener that cannot be called", model: "pip", options: { onProgress: "bar" } },
    { what: "a token that is no text", model: "pip", options: { token: ["secret"] } },
  ])("is refused: $what", async ({ model, options }) => {
    const call = locateModel(model as string, options as LocateOptions);
    await expect(call).rejects.toBeInstanceOf(FullstopError);
    await expect(call).rejects.not.toThrow("secret");
  });
});
