import type { AddressInfo } from "node:net";

/** Addresses that a server listens on and nobody can connect to, with those that reach it from this machine. */
const REACHABLE: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
]);

/** A host by which a server can be reached from this machine that listens on one. */
export function reachableHost(host: string): string {
  return REACHABLE.get(host) ?? host;
}

/** Where a server listens, as people write it; with `isForVisitors`, where it can be reached from this machine. */
export function listeningUrl({ address, family, port }: AddressInfo, isForVisitors = false): string {
  const host = family === "IPv6" ? `[${address}]` : address;
  return `http://${isForVisitors ? reachableHost(host) : host}:${port}`;
}
