// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installProjects } from "../scripts/install-project.mjs";

/** The peers that fullstop is measured beside, in a project of their own that is installed when it is needed. */
const MODULES = new URL("./peers/node_modules/", import.meta.url);

/** What most of the peers need at least. */
const LEAST_NODE = 22;

/** Installs the peers, unless they are there. */
export function installPeers() {
  installProjects(["bench/peers"]);
}

/**
 * The path of a peer's file.
 *
 * @param {string} file
 * @returns {string}
 */
export function peerFile(file) {
  return fileURLToPath(new URL(file, MODULES));
}

/**
 * @param {string} name
 * @returns {string}
 */
export function peerVersion(name) {
  return versionIn(peerFile(`${name}/package.json`));
}

/**
 * The version that a manifest names.
 *
 * @param {string} manifest
 * @returns {string}
 */
export function versionIn(manifest) {
  const { version } = /** @type {{version: string}} */ (JSON.parse(readFileSync(manifest, "utf8")));
  return version;
}

/**
 * A Node that all peers run on: the one that is installed with them, or this one if it is new enough. Undefined where
 * there is neither.
 *
 * @returns {string | undefined}
 */
export function findPeersNode() {
  const installed = peerFile(`node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(installed)) return installed;
  return Number(process.versions.node.split(".")[0]) >= LEAST_NODE ? process.execPath : undefined;
}
