import type { FastifyInstance } from "fastify";
import type { House } from "../doors/answer.ts";

/** Adds the addresses at which clients look for the models there are, in the words of three dialects. */
export function addModelRoutes(app: FastifyInstance, { gatekeeper, router }: House): void {
  const list = (request: Parameters<typeof gatekeeper.admit>[0]) => {
    const { models } = gatekeeper.admit(request);
    return router.list().filter(({ id }) => models === undefined || models.includes(id));
  };

  // OpenAI and Anthropic have the same address and no field in common that would mean different things.
  app.get("/v1/models", (request) => {
    const data = list(request).map(({ id, provider }) => ({
      id,
      object: "model",
      created: 0,
      owned_by: provider,
      type: "model",
      display_name: id,
      created_at: "1970-01-01T00:00:00Z",
    }));
    return { object: "list", data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  });

  app.get("/v1beta/models", (request) => ({
    models: list(request).map(({ id }) => ({
      name: `models/${id}`,
      displayName: id,
      supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
    })),
  }));
}
