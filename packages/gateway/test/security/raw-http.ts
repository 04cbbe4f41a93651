import { connect } from "node:net";
import { text as readAll } from "node:stream/consumers";
import type { Gateway } from "../support/gateway.ts";

/** Sends bytes as they are, and gives all that comes back until the connection is closed. */
export async function sendRaw({ url }: Pick<Gateway, "url">, bytes: string | readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A server that closes what it cannot read may do so while more is sent.
  socket.on("error", () => undefined);
  for (const piece of [bytes].flat()) socket.write(piece, "latin1");
  return readAll(socket).catch(() => "");
}

/** A request as it stands on the wire, after which the connection is closed. */
export function requestOf(line: string, headers: readonly string[] = [], body = ""): string {
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${line} HTTP/1.1`, "Host: 127.0.0.1", ...headers, ...length, "Connection: close", "", body].join("\r\n");
}

/** The status of each answer in what came back. */
export function statusesOf(answer: string): readonly number[] {
  return [...answer.matchAll(/^HTTP\/1\.1 (?<status>\d{3})/gmu)].map(({ groups }) => Number(groups?.["status"]));
}
