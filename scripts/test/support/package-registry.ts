import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A package as it was published. */
export interface PublishedPackage {
  readonly name: string;
  readonly tags: readonly string[];
  readonly versions: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
}

/** A registry on this machine to which npm publishes. It knows of no package. */
export async function openRegistry(): Promise<{ readonly url: string; readonly published: PublishedPackage[] }> {
  const published: PublishedPackage[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "PUT") {
      const { name, "dist-tags": tags, versions } = await readJson(request);
      published.push({ name, tags: Object.keys(tags), versions });
    }
    const status = request.method === "PUT" ? 201 : 404;
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, published };
}

interface PublishBody {
  readonly name: string;
  readonly "dist-tags": object;
  readonly versions: PublishedPackage["versions"];
}

async function readJson(request: IncomingMessage): Promise<PublishBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as PublishBody;
}
