import type { FastifyInstance } from "fastify";
import type { House } from "../doors/answer.ts";

/** How long readers may take to read the ends of their answers once those were stopped. */
const LAST_WORDS = 2000;

/** How a server is shut down. */
export interface ShutdownOptions {
  /** How many milliseconds running answers may go on before they are stopped. */
  readonly patience: number;
  /** Fires when nobody wants to wait any longer. */
  readonly hurry: AbortSignal;
}

/**
 * Lets answers end by themselves for a while, ends the others honestly, and stops listening. Until the last has ended
 * the server keeps listening: a load balancer can see that it is not ready, whoever asks for something new is refused
 * in their own dialect, and what runs can still be seen and stopped.
 */
export async function shutDown(
  app: FastifyInstance,
  house: House,
  { patience, hurry }: ShutdownOptions,
): Promise<void> {
  const { generations, operations } = house;
  operations.readiness.beginShutdown();
  let lastWords: NodeJS.Timeout | undefined;
  const cut = (): void => {
    void generations.stopAll("shutdown");
    // A reader that does not read must not keep the server.
    lastWords ??= setTimeout(() => app.server.closeAllConnections(), LAST_WORDS);
  };
  const limit = setTimeout(cut, patience);
  if (hurry.aborted) cut();
  else hurry.addEventListener("abort", cut, { once: true });
  while (generations.live().length > 0) await Promise.all(generations.live().map(({ ended }) => ended));
  await app.close();
  clearTimeout(limit);
  clearTimeout(lastWords);
  hurry.removeEventListener("abort", cut);
}
