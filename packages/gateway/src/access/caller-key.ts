import { FullstopError } from "fullstop";
import type { Engine } from "fullstop";
import type { Route, Target } from "../models/model-router.ts";
import { RequestError } from "../request-error.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import { keyOf, single } from "./given-key.ts";
import type { Request } from "./given-key.ts";

/** The header in which callers bring their own key of a provider. */
const CALLER_KEY_HEADER = "x-fullstop-provider-key";

/** A word of its own, so that nobody takes it for a refusal of the key that opens the gateway. */
const REFUSAL_DETAILS = { code: "invalid_provider_key" };

/**
 * Opens what a caller brings the key for. A key that opens the gateway is never taken for it, so that no provider gets
 * to see one.
 */
export function openRoutes(routes: readonly Route[], request: Request, gatekeeper: Gatekeeper): readonly Target[] {
  const { asksForKeys } = gatekeeper;
  const key = single(request.headers[CALLER_KEY_HEADER]) ?? (asksForKeys ? undefined : keyOf(request));
  return routes.map((route) => {
    if ("engine" in route) return route;
    const { openWithKey, ...rest } = route;
    if (key !== undefined) return { ...rest, engine: open(openWithKey, key, route.provider) };
    const other = asksForKeys ? "" : ", or where your client puts its key";
    throw new RequestError(
      "authentication",
      `${route.provider} is asked with your own key: send it in the header ${CALLER_KEY_HEADER}${other}`,
      REFUSAL_DETAILS,
    );
  });
}

function open(openWithKey: (key: string) => Engine, key: string, provider: string): Engine {
  try {
    return openWithKey(key);
  } catch (error) {
    // What the library says about a key never quotes it.
    if (!(error instanceof FullstopError)) throw error;
    const message = `Your key of ${provider} cannot be used: ${error.message}`;
    throw new RequestError("authentication", message, REFUSAL_DETAILS);
  }
}
