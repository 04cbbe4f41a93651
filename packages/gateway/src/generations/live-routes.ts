import type { FastifyInstance } from "fastify";
import type { GenerationRecord } from "fullstop/control";
import type { House } from "../doors/answer.ts";
import { readKnown } from "../known-fields.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import { LIST_PATIENCE } from "./ask-store.ts";
import { sendLiveFeed } from "./live-feed.ts";
import { ProgressWatch } from "./progress.ts";
import { whenClosed } from "./send-events.ts";
import { stopGeneration } from "./stop.ts";
import type { StopReceipt } from "./stop.ts";

/** Adds the addresses at which all that runs is watched, and stopped at once. */
export function addLiveRoutes(app: FastifyInstance, { gatekeeper, generations, operations }: House): void {
  const progress = new ProgressWatch();
  const onStoreFailure = (error: unknown): void => operations.reportStoreFailure(error);
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
    const owner = isOperator ? undefined : name;
    try {
      await sendLiveFeed(reply.raw, { generations, progress, signal, owner, onStoreFailure });
    } catch (error) {
      // Nobody else ends what was taken out of Fastify's hands, and a reader that waits would never come back.
      reply.raw.destroy();
      operations.reportMistake(request, error);
    }
  });

  app.post("/v1/generations/stop", async (request) => {
    const visitor = gatekeeper.admit(request);
    const owner = ownerIn(request.body) ?? visitor.name;
    if (owner !== visitor.name && !visitor.isOperator) {
      throw new RequestError("permission", `Only operators may stop the generations of ${quoteValue(owner)}`);
    }
    const reason = owner === visitor.name ? "user" : "operator";
    const failures: unknown[] = [];
    const stop = async ({ id }: Pick<GenerationRecord, "id">): Promise<BriefReceipt | undefined> => {
      try {
        const generation = await generations.find(id);
        if (generation === undefined) return undefined;
        const { result } = await stopGeneration(generations, generation, { mode: "stop", reason });
        return { id, result };
      } catch (error) {
        failures.push(error);
        return { id, result: "unreachable" };
      }
    };
    // Those that run here do not wait for a store to say, or to fail to say, which others there are.
    const here = generations.runningHere(owner).map(stop);
    const elsewhere = await generations.runningElsewhere(owner, LIST_PATIENCE).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    const receipts = await Promise.all([...here, ...elsewhere.map(stop)]);
    const told = receipts.filter((receipt) => receipt !== undefined);
    for (const failure of failures) onStoreFailure(failure);
    return { owner, generations: told, ...(failures.length > 0 && { isPartial: true }) };
  });
}

/** What came of a stop, of one among many. */
type BriefReceipt = Pick<StopReceipt, "id" | "result">;

/** Whose generations are to be stopped; undefined if the body does not say. */
function ownerIn(body: unknown): string | undefined {
  const { owner } = readKnown("A stop of all that runs", body, ["owner"]);
  if (owner === undefined || typeof owner === "string") return owner;
  throw new RequestError("invalid_request", `owner must be the name of a key, got ${quoteValue(owner)}`);
}
