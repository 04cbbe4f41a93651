import type { FastifyInstance } from "fastify";
import type { House } from "../doors/answer.ts";
import { RequestError } from "../request-error.ts";

/** Adds the addresses for those who look after the server: is it alive, does it take requests, how is it doing. */
export function addOperationRoutes(app: FastifyInstance, { gatekeeper, operations }: House): void {
  const { metrics, readiness, areMetricsPublic } = operations;

  app.get("/healthz", () => ({ status: "ok" }));

  app.get("/readyz", (_request, reply) => {
    const { problems } = readiness;
    if (problems.length === 0) return { status: "ready" };
    reply.code(503);
    return { status: "not_ready", problems };
  });

  app.get("/metrics", async (request, reply) => {
    if (!areMetricsPublic && !gatekeeper.admit(request).isOperator) {
      throw new RequestError("permission", "Metrics are for the keys of operators");
    }
    reply.header("content-type", metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}
