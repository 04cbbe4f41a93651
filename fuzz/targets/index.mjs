// @ts-check

/** @typedef {import("../oracle.mjs").Target} Target */

/**
 * Every parser of the repository, with what it promises, by groups that are loaded one at a time: the less code is
 * there, the faster V8 tells which of it has run.
 *
 * @type {Readonly<Record<string, () => Promise<readonly Target[]>>>}
 */
export const GROUPS = {
  framing: async () => (await import("./framing.mjs")).FRAMING_TARGETS,
  answers: async () => (await import("./answers.mjs")).ANSWER_TARGETS,
  requests: async () => (await import("./requests.mjs")).REQUEST_TARGETS,
  texts: async () => (await import("./texts.mjs")).TEXT_TARGETS,
  fetching: async () => (await import("./fetching.mjs")).FETCH_TARGETS,
  gateway: async () => (await import("./gateway.mjs")).GATEWAY_TARGETS,
  models: async () => (await import("./models.mjs")).MODEL_TARGETS,
  routes: async () => (await import("./routes.mjs")).ROUTE_TARGETS,
  stores: async () => (await import("./stores.mjs")).STORE_TARGETS,
  inspect: async () => (await import("./inspect.mjs")).INSPECT_TARGETS,
  telegramInput: async () => (await import("./telegram-input.mjs")).TELEGRAM_INPUT_TARGETS,
  telegram: async () => (await import("./telegram.mjs")).TELEGRAM_TARGETS,
};

/**
 * All parsers, each with its group.
 *
 * @returns {Promise<readonly { readonly group: string, readonly target: Target }[]>}
 */
export async function loadTargets() {
  const loaded = await Promise.all(
    Object.entries(GROUPS).map(async ([group, load]) => (await load()).map((target) => ({ group, target }))),
  );
  return loaded.flat();
}
