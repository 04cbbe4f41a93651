import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The answers over each connection that are not over yet. A client may ask again before it has its answer; what it asks
 * then is answered when the answers before it are over, and has no socket until then.
 */
export class OpenAnswers {
  readonly #open = new WeakMap<Socket, Set<ServerResponse>>();

  /** A request has come that is answered from now on. */
  follow(socket: Socket, answer: ServerResponse): void {
    const open = this.#open.get(socket) ?? this.#begin(socket);
    open.add(answer);
    answer.on("close", () => open.delete(answer));
  }

  /** Those over one connection, in the order in which they were asked for. */
  over(socket: Socket): readonly ServerResponse[] {
    return [...(this.#open.get(socket) ?? [])];
  }

  #begin(socket: Socket): Set<ServerResponse> {
    const open = new Set<ServerResponse>();
    this.#open.set(socket, open);
    socket.on("close", () => {
      for (const answer of open) if (answer.socket === null) tellGone(answer);
    });
    return open;
  }
}

/** Tells an answer that its reader has gone. Node does so only where it has got its socket. */
function tellGone(answer: ServerResponse): void {
  answer.destroy();
  answer.emit("close");
}
