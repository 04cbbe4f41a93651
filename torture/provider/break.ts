import type { ServerResponse } from "node:http";
import type { Fault } from "../plan/kinds.ts";
import type { Plan } from "../plan/plan.ts";
import type { AnswerWriter } from "./writer.ts";

const PAGE = "<!doctype html><title>502 Bad Gateway</title><h1>nginx</h1>";
const GARBAGE = Buffer.from("00ff1b5b254f4608c3280a0a7b0a0a", "hex");
/** A byte that stands nowhere in UTF-8. */
const BAD_BYTE = 0xff;
/** What a byte that is not UTF-8 is read as. */
export const REPLACEMENT = "\uFFFD";

/** Answers in place of the model, or not at all. */
export function refuse(fault: Fault, response: ServerResponse): void {
  if (fault === "silent") return;
  if (fault === "page") {
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    return;
  }
  response.writeHead(fault === "status-429" ? 429 : 500, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message: "Not now", type: "mock", code: 1, status: "MOCK" } }));
}

/** What breaks a stream after some of its pieces; undefined where it is not broken. */
export function breakBytes(
  { fault, pieces, faultAt }: Plan,
  writer: AnswerWriter,
): ((response: ServerResponse) => void) | undefined {
  switch (fault) {
    case "close":
      return (response) => response.end();
    case "cut":
      return (response) => {
        const next = pieces[faultAt];
        // The finish itself may have several frames, of which the first says it.
        const frames = next === undefined ? writer.finish().split(/(?<=\n\n)/u)[0] : writer.piece(next);
        response.write(halfOf(frames ?? ""), () => response.destroy());
      };
    case "reset":
      return (response) => void response.socket?.resetAndDestroy();
    case "stall":
      return () => undefined;
    case "garbage":
      return (response) => response.end(GARBAGE);
    case "bad-json":
      return (response) => response.end('data: {"choices":[{"delta":{"content":"torn\n\n');
    case "in-band":
      return (response) => response.end(writer.failure());
    default:
      return undefined;
  }
}

/** The frames of a piece with a byte before its text that is not UTF-8. */
export function withBadByte(frames: string): Buffer {
  const start = lastFrameOf(frames);
  const at = start + frames.slice(start).search(/"(?:content|delta|text)":"/u);
  const opening = frames.indexOf(':"', at) + 2;
  return Buffer.concat([
    Buffer.from(frames.slice(0, opening)),
    Buffer.of(BAD_BYTE),
    Buffer.from(frames.slice(opening)),
  ]);
}

/** Where the last of some frames begins. */
function lastFrameOf(frames: string): number {
  return frames.lastIndexOf("\n\n", frames.length - 3) + 2;
}

/** Half of a frame, after those before it. */
function halfOf(frames: string): string {
  const start = lastFrameOf(frames);
  return frames.slice(0, start + Math.floor((frames.length - start) / 2));
}
