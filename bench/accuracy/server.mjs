// @ts-check
import { createServer } from "node:http";

/**
 * A provider that answers every request below `/case/<number>` with the bytes of that case, whatever is asked.
 *
 * @param {readonly import("./synthetic/case.mjs").AccuracyCase[]} cases
 * @returns {Promise<{ readonly url: string, readonly close: () => void }>}
 */
export async function serveCases(cases) {
  const server = createServer((request, response) => {
    const number = /^\/case\/(?<number>\d+)\//u.exec(request.url ?? "")?.groups?.["number"];
    const found = number === undefined ? undefined : cases[Number(number)];
    request.resume();
    request.once("end", () => {
      if (found === undefined) {
        response.writeHead(404, { "content-type": "application/json" });
        response.end('{"error":{"message":"no such case"}}');
        return;
      }
      const { status, contentType, body, connection } = found;
      // Nobody is to wait and try again: each case is asked once.
      response.writeHead(status, { "content-type": contentType, "x-should-retry": "false", connection: "close" });
      if (connection === "end") response.end(body);
      else response.write(body, () => response.socket?.destroy());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
