import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** The headers of answers that a page has a use for. */
const EXPOSED = ["x-fullstop-generation-id", "retry-after"];

/** Lets browsers pass on what pages of these origins, and of no others, ask and are answered. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  void app.register(cors, { origin: [...origins], methods: ["GET", "POST", "DELETE"], exposedHeaders: EXPOSED });
  app.after(() => {
    app.addHook("onRequest", (_request, reply, done) => {
      // Streams are taken out of Fastify's hands, which would otherwise add these when it sends.
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      done();
    });
  });
}
