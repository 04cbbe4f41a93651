import { Socket } from "node:net";
import { afterEach, beforeEach, vi } from "vitest";

/**
 * Watches where connections are opened to while a test runs, by whatever runs in this process, whether or not anybody
 * is there. Gives hosts with their ports, without those of the addresses that may be asked.
 */
export function watchConnections(expected: readonly string[]): () => readonly string[] {
  const hosts = new Set(expected.map((url) => new URL(url).host));
  let opened: () => readonly string[] = () => [];
  beforeEach(() => {
    const { mock } = vi.spyOn(Socket.prototype, "connect");
    opened = () => mock.calls.map(([first]: readonly unknown[]) => hostOf(first));
  });
  afterEach(() => void vi.restoreAllMocks());
  return () => opened().filter((host) => !hosts.has(host));
}

/** Node passes on what it was given in a list of its own. */
function hostOf(given: unknown): string {
  const { host, port, path } = [given].flat(1)[0] as { host?: string; port?: number; path?: string };
  return path ?? `${host ?? "localhost"}:${port}`;
}
