import { connect as connectTcp, isIP } from "node:net";
import type { OnReadOpts, Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Where connections lead. */
export interface Destination {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
}

/** How long a server may take until a connection stands. */
const CONNECT_MILLISECONDS = 10_000;

/**
 * After how long a silence the system asks whether the other side is still there. A model may think for many minutes, in
 * which routers between would forget the connection, and a server that has gone would be waited for in vain.
 */
const SILENT_MILLISECONDS = 60_000;

/** What the last connection to a server has agreed on with it, which saves the next one a round trip. */
const sessions = new WeakMap<Destination, Buffer>();

/** Opens a socket that reads as it is told. */
export function openSocket(destination: Destination, onread: OnReadOpts): Socket {
  const { isSecure, host, port } = destination;
  const options = { host, port, onread };
  if (!isSecure) return withinTime(kept(connectTcp(options)), "connect");
  const session = sessions.get(destination);
  // Addresses are no names that a server could be asked for by.
  const servername = isIP(host) === 0 ? host : "";
  const socket = connectTls({ ...options, servername, ALPNProtocols: ["http/1.1"], ...(session && { session }) });
  socket.on("session", (agreed) => sessions.set(destination, agreed));
  return withinTime(kept(socket), "secureConnect");
}

/** Sends at once, and notices a silent end. Among the options for a connection over TLS, Node overlooks both. */
function kept<S extends Socket>(socket: S): S {
  return socket.setNoDelay(true).setKeepAlive(true, SILENT_MILLISECONDS);
}

/** Gives up on a server that does not take a connection. */
function withinTime(socket: Socket, connected: "connect" | "secureConnect"): Socket {
  const timer = setTimeout(() => {
    const message = `The server has taken no connection within ${CONNECT_MILLISECONDS} ms`;
    socket.destroy(Object.assign(new Error(message), { code: "ETIMEDOUT" }));
  }, CONNECT_MILLISECONDS);
  const stop = (): void => clearTimeout(timer);
  socket.once(connected, stop);
  socket.once("close", stop);
  return socket;
}
