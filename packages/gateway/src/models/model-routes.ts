import type { FastifyInstance, FastifyRequest } from "fastify";
import type { House } from "../doors/answer.ts";
import { mayAsk, providerMeant } from "../access/allowed-models.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { ListedModel } from "./model-router.ts";

/** Adds the addresses at which clients look for the models there are, in the words of three dialects. */
export function addModelRoutes(app: FastifyInstance, { gatekeeper, router, catalogue }: House): void {
  /** Those that a key is for, or all that are listed, and then those that providers say they have. */
  const list = async (request: FastifyRequest): Promise<readonly ListedModel[]> => {
    const { models } = gatekeeper.admit(request);
    const named = models === undefined ? router.list() : models.flatMap(listedAs);
    const providers = (await catalogue.list()).filter(({ id }) => mayAsk(models, id));
    // A name may be in both lists, and in that of a key twice.
    return [...new Map([...named, ...providers].map((model) => [model.id, model])).values()];
  };

  /** What a name in the list of a key stands for: a model, listed or not, or those of a provider that are listed. */
  const listedAs = (name: string): readonly ListedModel[] => {
    if (providerMeant(name) !== undefined) return router.list().filter(({ id }) => mayAsk([name], id));
    const model = router.find(name);
    return model === undefined ? [] : [model];
  };

  /** Whatever a key may ask, listed or not. What it may not ask cannot be told from what is not there. */
  const find = (request: FastifyRequest): ListedModel => {
    const { models } = gatekeeper.admit(request);
    const id = nameOf(request);
    const model = mayAsk(models, id) ? router.find(id) : undefined;
    if (model !== undefined) return model;
    throw new RequestError("not_found", `There is no model ${quoteValue(id)} for this key`, {
      code: "model_not_found",
      param: "model",
    });
  };

  app.get("/v1/models", async (request) => {
    const data = (await list(request)).map(describe);
    return { object: "list", data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  });

  app.get("/v1/models/*", (request) => describe(find(request)));

  app.get("/v1beta/models", async (request) => ({ models: (await list(request)).map(describeForGemini) }));

  app.get("/v1beta/models/*", (request) => describeForGemini(find(request)));
}

/** The rest of an address, in which a model's name may have slashes. */
function nameOf({ params }: FastifyRequest): string {
  return typeof params === "object" && params !== null && "*" in params ? String(params["*"]) : "";
}

/** A model to OpenAI's and Anthropic's clients: they have the same address and no field that would mean two things. */
function describe({ id, provider }: ListedModel) {
  return {
    id,
    object: "model",
    created: 0,
    owned_by: provider,
    type: "model",
    display_name: id,
    created_at: "1970-01-01T00:00:00Z",
  };
}

function describeForGemini({ id }: ListedModel) {
  return {
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
  };
}
