import { userInfo } from "node:os";
import path from "node:path";
import { createMemoryStore } from "fullstop/control";
import type { Store } from "fullstop/control";
import { ConfigError } from "../config/config-error.ts";
import type { Environment } from "../config/environment.ts";
import type { StorePlace } from "../config/store.ts";
import { messageOf } from "../message-of.ts";
import { quoteValue } from "../quote-value.ts";
import { showRefusedUrl } from "./show-url.ts";

/** A store, and what people are told about where it is. */
export interface OpenedStore {
  readonly store: Store;
  readonly description: string;
  /** How many bytes of generations that have ended are usual there. */
  readonly usualBytes: number;
}

const MEBIBYTE = 2 ** 20;

/** What {@link openStore} needs to know. */
export interface OpenStoreOptions {
  /** Where the configuration wants it; undefined if it does not say. */
  readonly place: StorePlace | undefined;
  readonly environment: Environment;
  /** What the user's own file is called, which is used where nobody says anything, such as `generations.db`. */
  readonly ownFile: string;
  /** Told of what goes wrong with the connection to it. */
  readonly onError: (error: unknown) => void;
}

/** The variable that says where the store is: `memory`, the address of a Redis, or the path of a file. */
const VARIABLE = "FULLSTOP_STORE";

/** Opens the store where the environment says, else where the configuration says, else in the user's own file. */
export async function openStore({ place, environment, ownFile, onError }: OpenStoreOptions): Promise<OpenedStore> {
  const wanted = environment[VARIABLE];
  if (wanted !== undefined && wanted !== "") return openNamed(wanted, onError);
  switch (place?.kind) {
    case "memory":
      return openMemory();
    case "redis": {
      const urls = environment[place.urlEnv];
      if (urls === undefined || urls === "") {
        throw new ConfigError(`store.place: the variable ${place.urlEnv} is not set`);
      }
      return openRedis(urls, { variable: place.urlEnv, cluster: place.cluster, onError });
    }
    default:
      return place?.file === undefined ? openOwnFile(ownFile, environment) : openFile(place.file);
  }
}

function openNamed(wanted: string, onError: (error: unknown) => void): Promise<OpenedStore> | OpenedStore {
  if (wanted === "memory") return openMemory();
  if (/^(?:rediss?|unix):/u.test(wanted)) return openRedis(wanted, { variable: VARIABLE, cluster: undefined, onError });
  if (/^\w+:\/\//u.test(wanted)) {
    throw new ConfigError(
      `${VARIABLE} must be memory, a redis:// address or a path, got ${quoteValue(showRefusedUrl(wanted))}`,
    );
  }
  return openFile(wanted);
}

function openMemory(): OpenedStore {
  return { store: createMemoryStore(), description: "in memory, until the process ends", usualBytes: 32 * MEBIBYTE };
}

async function openFile(file: string): Promise<OpenedStore> {
  const resolved = path.resolve(file);
  // Loaded when they are needed, here and below: together the two libraries take 13 MiB of memory.
  const { openSqliteStore } = await import("./sqlite-store.ts");
  const store = await openSqliteStore({ file: resolved });
  return { store, description: `in ${resolved}`, usualBytes: 1024 * MEBIBYTE };
}

/**
 * Opens the file that is there for whoever has said nothing. If another process has it, this one does without: nobody
 * has asked for the file, and a second server should just start.
 */
async function openOwnFile(name: string, environment: Environment): Promise<OpenedStore> {
  try {
    return await openFile(path.join(stateFolder(environment), "fullstop", name));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const memory = openMemory();
    return { ...memory, description: `${memory.description}, because ${error.message}` };
  }
}

/**
 * The folder for what programs of the user keep. A path that is not absolute counts as none, as the XDG base directories
 * have it: it would be another one wherever the program is started.
 */
export function stateFolder({ XDG_STATE_HOME: state = "", HOME: home = "" }: Environment): string {
  if (path.isAbsolute(state)) return state;
  return path.join(path.isAbsolute(home) ? home : homeByUser(), ".local", "state");
}

/** What the system has noted as the user's home, whatever HOME says. */
function homeByUser(): string {
  try {
    return userInfo().homedir;
  } catch (error) {
    throw new ConfigError(`there is no home folder: ${messageOf(error)}`);
  }
}

/** Where one address ends and the next begins: a password may have commas, too. */
const BETWEEN_ADDRESSES = /,\s*(?=(?:rediss?|unix):\/\/)/u;

/** What there is to know of a Redis beside its address. */
interface RedisPlace {
  /** The variable that the address stands in. */
  readonly variable: string;
  readonly cluster: boolean | undefined;
  readonly onError: (error: unknown) => void;
}

async function openRedis(urls: string, { variable, cluster, onError }: RedisPlace): Promise<OpenedStore> {
  const [first = "", ...others] = urls.split(BETWEEN_ADDRESSES).map((url) => url.trim());
  const { openRedisStore } = await import("./redis-store.ts");
  let problem: unknown;
  const told = (error: unknown): void => {
    problem = error;
    onError(error);
  };
  const opening = openRedisStore({ url: [first, ...others], cluster, onError: told });
  const store = await opening.catch((error: unknown) => {
    throw error instanceof ConfigError ? new ConfigError(`${variable}: ${error.message}`) : error;
  });
  // It is used as soon as it is there; until then nobody should think that it was.
  const state = problem === undefined ? "" : `, as soon as it can be reached: ${messageOf(problem)}`;
  return { store, description: `in Redis${state}`, usualBytes: 1024 * MEBIBYTE };
}
