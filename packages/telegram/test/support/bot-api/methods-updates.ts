import type { MethodTable } from "./methods.ts";
import { badRequest, Refusal } from "./refusal.ts";

/** Methods with which a bot gets its updates. */
export const UPDATE_METHODS: Pick<MethodTable, "getUpdates" | "setWebhook" | "deleteWebhook" | "getWebhookInfo"> = {
  getUpdates: {
    parameters: ["offset", "limit", "timeout", "allowed_updates"],
    async run(parameters, { updates, webhook }, gone) {
      if (webhook.isSet) {
        throw new Refusal(
          409,
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        );
      }
      updates.allow(parameters.list("allowed_updates"));
      const limit = Math.min(100, Math.max(1, parameters.integer("limit") ?? 100));
      const timeoutMs = Math.min(50, Math.max(0, parameters.integer("timeout") ?? 0)) * 1000;
      return [...(await updates.poll(parameters.integer("offset") ?? 0, limit, timeoutMs, gone))];
    },
  },

  setWebhook: {
    parameters: ["url", "max_connections", "allowed_updates", "drop_pending_updates", "secret_token"],
    run(parameters, { updates, webhook }) {
      const url = parameters.text("url") ?? "";
      const secretToken = parameters.text("secret_token");
      if (secretToken !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(secretToken)) {
        throw badRequest("secret token contains unallowed characters");
      }
      if (url !== "" && !isAllowed(url)) {
        throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
      }
      if (parameters.flag("drop_pending_updates")) updates.drop();
      updates.allow(parameters.list("allowed_updates"));
      if (url !== "") updates.conflict("setWebhook request");
      const maxConnections = Math.min(100, Math.max(1, parameters.integer("max_connections") ?? 40));
      webhook.set(url === "" ? undefined : { url, secretToken, maxConnections });
      return true;
    },
  },

  deleteWebhook: {
    parameters: ["drop_pending_updates"],
    run(parameters, { updates, webhook }) {
      if (parameters.flag("drop_pending_updates")) updates.drop();
      webhook.set(undefined);
      return true;
    },
  },

  getWebhookInfo: { parameters: [], run: (_parameters, { webhook }) => webhook.info() },
};

/** Telegram wants HTTPS. On this machine the double also goes without. */
function isAllowed(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.protocol === "https:" || (parsed?.protocol === "http:" && parsed.hostname === "127.0.0.1");
}
