import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readPageFiles } from "./page-files.ts";
import type { PageFile } from "./page-files.ts";

/** The page loads nothing from elsewhere, runs no script that is not a file of its own, and stands in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const SECURITY_HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

const NOT_BUILT = "The web page was not built. Build it with: npm run prepare\n";

/** Adds the web page. It can be seen without a key, and asks for one where one is needed. */
export function addPageRoutes(app: FastifyInstance, files: readonly PageFile[] = readPageFiles()): void {
  for (const file of files) app.get(file.address, (request, reply) => sendFile(file, request, reply));
  if (files.some(({ address }) => address === "/")) return;
  app.get("/", (_request, reply) => reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT));
}

function sendFile(file: PageFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { type, bytes, zipped, tag, isLasting } = file;
  reply.headers({
    ...SECURITY_HEADERS,
    etag: tag,
    vary: "accept-encoding",
    "cache-control": isLasting ? "public, max-age=31536000, immutable" : "no-cache",
  });
  if (headers["if-none-match"] === tag) return reply.code(304).send();
  reply.type(type);
  if (zipped === undefined || !takesZipped(headers["accept-encoding"])) return reply.send(bytes);
  return reply.header("content-encoding", "gzip").send(zipped);
}

/** Whether gzip is among what is taken. A weight of nothing says that it is not. */
function takesZipped(accepted = ""): boolean {
  return accepted.split(",").some((each) => {
    const [coding, weight = "q=1"] = each.split(";").map((part) => part.trim().toLowerCase());
    return coding === "gzip" && weight.startsWith("q=") && Number(weight.slice(2)) > 0;
  });
}
