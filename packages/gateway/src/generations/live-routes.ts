import type { FastifyInstance } from "fastify";
import type { House } from "../doors/answer.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import { sendLiveFeed } from "./live-feed.ts";
import { ProgressWatch } from "./progress.ts";
import { whenClosed } from "./send-events.ts";
import { stopGeneration } from "./stop.ts";
import type { StopReceipt } from "./stop.ts";

/** Adds the addresses at which all that runs is watched, and stopped at once. */
export function addLiveRoutes(app: FastifyInstance, { gatekeeper, generations }: House): void {
  const progress = new ProgressWatch();
  // A server that closes waits for its readers, and these would stay for ever.
  const closing = new AbortController();
  app.addHook("preClose", (done) => {
    closing.abort();
    done();
  });

  app.get("/v1/generations/live", async (request, reply) => {
    const { isOperator, name } = gatekeeper.admit(request);
    reply.hijack();
    const signal = AbortSignal.any([closing.signal, whenClosed(reply.raw)]);
    await sendLiveFeed(reply.raw, { generations, progress, signal, owner: isOperator ? undefined : name });
  });

  app.post("/v1/generations/stop", async (request) => {
    const visitor = gatekeeper.admit(request);
    const owner = ownerIn(request.body) ?? visitor.name;
    if (owner !== visitor.name && !visitor.isOperator) {
      throw new RequestError("permission", `Only operators may stop the generations of ${quoteValue(owner)}`);
    }
    const reason = owner === visitor.name ? "user" : "operator";
    const running = await generations.running(owner);
    const receipts = await Promise.all(
      running.map(async ({ id }): Promise<Pick<StopReceipt, "id" | "result"> | undefined> => {
        const generation = await generations.find(id);
        if (generation === undefined) return undefined;
        const { result } = await stopGeneration(generations, generation, { mode: "stop", reason });
        return { id, result };
      }),
    );
    return { owner, generations: receipts.filter((receipt) => receipt !== undefined) };
  });
}

/** Whose generations are to be stopped; undefined if the body does not say. */
function ownerIn(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("owner" in body)) return undefined;
  if (typeof body.owner === "string") return body.owner;
  throw new RequestError("invalid_request", `owner must be the name of a key, got ${quoteValue(body.owner)}`);
}
