// @ts-check
import { Agent, createServer, request as ask } from "node:http";

/**
 * The least that a proxy in Node can do if it is to know what it passes on: it takes every event apart, parses its
 * JSON, and writes the bytes on as they came. No translation, no rules, no errors to speak of.
 */
const upstreamPort = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const pieces = [];
  request.on("data", (/** @type {Buffer} */ piece) => pieces.push(piece));
  request.on("end", () => {
    const body = Buffer.concat(pieces);
    const headers = { "content-type": "application/json", "content-length": body.length };
    const options = { agent, port: upstreamPort, host: "127.0.0.1", path: request.url, method: "POST", headers };
    ask(options, (answer) => passOn(answer, response)).end(body);
  });
});
server.keepAliveTimeout = 0;

/**
 * @param {import("node:http").IncomingMessage} answer
 * @param {import("node:http").ServerResponse} response
 */
function passOn(answer, response) {
  const isStream = (answer.headers["content-type"] ?? "").startsWith("text/event-stream");
  response.writeHead(answer.statusCode ?? 502, { "content-type": answer.headers["content-type"] ?? "" });
  const decoder = new TextDecoder();
  let rest = "";
  answer.on("data", (/** @type {Buffer} */ bytes) => {
    rest += decoder.decode(bytes, { stream: true });
    if (isStream) rest = parseEvents(rest);
    response.write(bytes);
  });
  answer.on("end", () => {
    if (!isStream) JSON.parse(rest);
    response.end();
  });
}

/**
 * @param {string} text
 * @returns {string} The event that is not whole yet.
 */
function parseEvents(text) {
  const events = text.split("\n\n");
  const rest = events.pop() ?? "";
  for (const event of events) {
    const data = event.slice(event.indexOf("data: ") + 6);
    if (data !== "[DONE]") JSON.parse(data);
  }
  return rest;
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
});
