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

/** What the last connection to a server has agreed on with it, which saves the next one a round trip. */
const sessions = new WeakMap<Destination, Buffer>();

/** Opens a socket that reads as it is told. */
export function openSocket(destination: Destination, onread: OnReadOpts): Socket {
  const { isSecure, host, port } = destination;
  const options = { host, port, onread, noDelay: true };
  if (!isSecure) return withinTime(connectTcp(options), "connect");
  const session = sessions.get(destination);
  // Addresses are no names that a server could be asked for by.
  const servername = isIP(host) === 0 ? host : "";
  const socket = connectTls({ ...options, servername, ALPNProtocols: ["http/1.1"], ...(session && { session }) });
  socket.on("session", (agreed) => sessions.set(destination, agreed));
  return withinTime(socket, "secureConnect");
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
