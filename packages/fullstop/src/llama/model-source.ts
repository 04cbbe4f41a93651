import { quote } from "../errors.ts";
import { ModelLoadError } from "./model-error.ts";
import { createRequester, describeStatus, reasonOf, showAddress } from "./model-request.ts";
import type { FileRequester } from "./model-request.ts";
import { decodePart, familyOf, hubFileName, isRawPart, partsOf, urlFileName } from "./model-names.ts";

/** A file to download, and what it is called on disk. */
interface RemoteFile {
  readonly url: string;
  readonly name: string;
}

/** A model that lies on a server. */
export interface ModelSource {
  /** What it may be called on disk, if it was downloaded before; the numbers of parts are left out. */
  readonly knownAs: readonly string[];
  readonly request: FileRequester;
  /** Which files make up the model. The first is the one to load. For a quantisation the server has to be asked. */
  resolve(signal: AbortSignal): Promise<readonly RemoteFile[]>;
}

/** Whom to ask for the models of `hf:`. */
export interface HubOptions {
  /** A Hugging Face access token. Default: the environment's `HF_TOKEN`, unless another endpoint is given. */
  readonly token?: string | undefined;
  /** A server that speaks like Hugging Face. Default: the environment's `HF_ENDPOINT`, or Hugging Face itself. */
  readonly endpoint?: string | undefined;
}

interface Hub {
  readonly origin: string;
  readonly base: string;
  readonly request: FileRequester;
}

const HUGGING_FACE = "https://huggingface.co";
const DEFAULT_BRANCH = "main";
const DEFAULT_QUANT = "Q4_K_M";
const HUB_NAME =
  /^hf:(?:\/\/)?(?<user>[\w.-]+)\/(?<model>[\w.-]+)(?::(?<tag>[\w.-]+)|\/(?<file>[^#]+?)(?:#(?<branch>.+))?)?$/u;
const QUANT = /[.-](?<quant>I?Q\d\w*|TQ\d_\d|MXFP4\w*|BF16|F16|F32)\.gguf$/iu;

/** The source of a model that is named by an address or by `hf:`, and undefined for everything else. */
export function parseModelSource(model: string, options: HubOptions): ModelSource | undefined {
  if (model.startsWith("hf:")) return parseHubName(model, openHub(options));
  if (!/^https?:\/\//iu.test(model)) return undefined;
  const url = parseAddress("model", model);
  const hub = openHub(options);
  return parseHubAddress(url, hub) ?? fromUrl(url, hub.request);
}

function openHub(options: HubOptions): Hub {
  const { origin, href } = parseAddress("endpoint", options.endpoint ?? process.env["HF_ENDPOINT"] ?? HUGGING_FACE);
  // The token in the environment is meant for the hub of its owner, not for a server that a program chooses.
  const token = options.token ?? (options.endpoint === undefined ? process.env["HF_TOKEN"] : undefined);
  const credential = token === undefined || token === "" ? undefined : { origin, token };
  return { origin, base: href.replace(/\/+$/u, ""), request: createRequester(credential) };
}

function parseAddress(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new ModelLoadError("not_found", `The ${name} must be an http or https address without a password in it`);
}

function parseHubName(name: string, hub: Hub): ModelSource {
  const { user, model, tag, file, branch = DEFAULT_BRANCH } = HUB_NAME.exec(name)?.groups ?? {};
  if (user === undefined || model === undefined) {
    const forms = "write hf:user/model:quant or hf:user/model/file.gguf";
    throw new ModelLoadError("not_found", `${quote(name)} names no model: ${forms}`);
  }
  return file === undefined ? fromQuant(user, model, tag, hub) : fromHubFile({ user, model, branch, path: file }, hub);
}

/** Addresses of pages on the hub, as they are copied from a browser, stand for what they show. */
function parseHubAddress(url: URL, hub: Hub): ModelSource | undefined {
  if (url.origin !== hub.origin) return undefined;
  const [, user, model, kind, branch, ...rest] = url.pathname.split("/").map(decodePart);
  if (user === undefined || user === "" || model === undefined) return undefined;
  if (kind === undefined) return fromQuant(user, model, undefined, hub);
  if ((kind !== "blob" && kind !== "resolve") || branch === undefined || rest.length === 0) return undefined;
  return fromHubFile({ user, model, branch, path: rest.join("/") }, hub);
}

function fromUrl(url: URL, request: FileRequester): ModelSource {
  const name = urlFileName(url);
  const files = splitIntoParts(url, name);
  return { knownAs: [familyOf(name)], request, resolve: () => Promise.resolve(files) };
}

interface HubFile {
  readonly user: string;
  readonly model: string;
  readonly branch: string;
  readonly path: string;
}

function fromHubFile(file: HubFile, hub: Hub): ModelSource {
  const name = hubFileName(file, file.branch === DEFAULT_BRANCH);
  const files = splitIntoParts(addressOf(file, hub), name);
  return { knownAs: [familyOf(name)], request: hub.request, resolve: () => Promise.resolve(files) };
}

function fromQuant(user: string, model: string, tag: string | undefined, hub: Hub): ModelSource {
  const nameWith = (quant: string | undefined): string => {
    const path = `${model.replace(/-gguf$/iu, "")}.gguf`;
    const name = hubFileName({ user, model, branch: DEFAULT_BRANCH, path }, true);
    return quant === undefined ? name : name.replace(/\.gguf$/u, `.${quant.toUpperCase()}.gguf`);
  };
  return {
    knownAs: tag === undefined ? [nameWith(DEFAULT_QUANT), nameWith(undefined)] : [nameWith(tag)],
    request: hub.request,
    async resolve(signal) {
      const path = await askForPath(user, model, tag ?? "latest", hub, signal);
      const found = tag ?? QUANT.exec(familyOf(path))?.groups?.["quant"];
      const ending = path.slice(familyOf(path).length - ".gguf".length);
      const name = nameWith(found).replace(/\.gguf$/u, ending);
      return splitIntoParts(addressOf({ user, model, branch: DEFAULT_BRANCH, path }, hub), name);
    },
  };
}

function addressOf({ user, model, branch, path }: HubFile, { base }: Hub): URL {
  const encoded = path.split("/").map((part) => encodeURIComponent(part));
  return new URL([base, user, model, "resolve", encodeURIComponent(branch), ...encoded].join("/"));
}

/** Asks which file holds a quantisation, the way llama.cpp does. */
async function askForPath(user: string, model: string, tag: string, hub: Hub, signal: AbortSignal): Promise<string> {
  const url = `${hub.base}/v2/${user}/${model}/manifests/${tag}`;
  const what = `${user}/${model}:${tag} at ${showAddress(url)}`;
  let response: Response;
  let manifest: unknown;
  try {
    // Only a client of this name is told the file.
    ({ response } = await hub.request(url, { "user-agent": "llama-cpp", accept: "application/json" }, signal));
    manifest = response.ok ? await response.json() : await response.body?.cancel();
  } catch (cause) {
    signal.throwIfAborted();
    throw new ModelLoadError("download_failed", `Asking for ${what} failed: ${reasonOf(cause)}`, { cause });
  }
  if (response.status === 404 || response.status === 400) {
    throw new ModelLoadError("not_found", `There is no model ${what}: check the name and the quantisation`);
  }
  if (!response.ok) {
    throw new ModelLoadError("download_failed", `Asking for ${what} failed: ${describeStatus(response.status)}`);
  }
  const path = pathIn(manifest);
  if (path === undefined) throw new ModelLoadError("not_found", `The model ${what} has no GGUF file`);
  return path;
}

function pathIn(manifest: unknown): string | undefined {
  if (typeof manifest !== "object" || manifest === null || !("ggufFile" in manifest)) return undefined;
  const { ggufFile } = manifest;
  if (typeof ggufFile !== "object" || ggufFile === null || !("rfilename" in ggufFile)) return undefined;
  return typeof ggufFile.rfilename === "string" && ggufFile.rfilename.endsWith(".gguf")
    ? ggufFile.rfilename
    : undefined;
}

/** All files of a model that is split into several, given one of them. */
function splitIntoParts(url: URL, name: string): readonly RemoteFile[] {
  if (isRawPart(url.pathname)) {
    throw new ModelLoadError(
      "invalid_file",
      `${showAddress(url.href)} is a piece of a file that has to be joined first`,
    );
  }
  const paths = partsOf(url.pathname);
  const names = partsOf(name);
  return paths.map((path, index) => {
    const address = new URL(url);
    address.pathname = path;
    return { url: address.href, name: names[index] ?? name };
  });
}
