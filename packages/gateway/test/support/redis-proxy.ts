import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** A way to a server that can be cut. */
export interface RedisProxy {
  readonly url: string;
  /** Cuts all connections, and lets nobody through. */
  cut(): void;
  /** Lets connections through again. */
  mend(): void;
  /** Lets new connections through to another server. Those that there are stay where they are. */
  lead(target: string): void;
  close(): Promise<void>;
}

/** Puts a proxy in front of a server that listens on a Unix socket. */
export async function startProxy(first: string): Promise<RedisProxy> {
  const folder = mkdtempSync(path.join(tmpdir(), "fullstop-proxy-"));
  const socket = path.join(folder, "proxy.sock");
  const open = new Set<Socket>();
  let isCut = false;
  let target = first;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(target.replace(/^unix:\/\//u, ""));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on("error", () => undefined);
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(socket);
  await once(server, "listening");
  const cutAll = (): void => {
    for (const each of open) each.destroy();
  };
  return {
    url: `unix://${socket}`,
    cut() {
      isCut = true;
      cutAll();
    },
    mend() {
      isCut = false;
    },
    lead(other) {
      target = other;
    },
    async close() {
      cutAll();
      server.close();
      await once(server, "close");
      rmSync(folder, { recursive: true });
    },
  };
}
