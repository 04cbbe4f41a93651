// @ts-check

/**
 * Everybody who is asked, with what it runs on.
 *
 * @typedef {object} SubjectDescription
 * @property {string} label
 * @property {string | undefined} versionOf The package whose version is told; nothing for fullstop.
 * @property {() => Promise<import("./outcome.mjs").Subject>} open
 */

/** Each of them is loaded in the process that asks it. */
export const SUBJECTS = {
  fullstop: {
    label: "fullstop",
    versionOf: undefined,
    open: async () => (await import("./subjects/fullstop.mjs")).openFullstop(),
  },
  "ai-sdk": {
    label: "AI SDK",
    versionOf: "ai",
    open: async () => (await import("./subjects/ai-sdk.mjs")).openAiSdk(),
  },
  langchain: {
    label: "LangChain.js",
    versionOf: "@langchain/core",
    open: async () => (await import("./subjects/langchain.mjs")).openLangchain(),
  },
  portkey: {
    label: "Portkey gateway",
    versionOf: "@portkey-ai/gateway",
    open: async () => (await import("./subjects/portkey.mjs")).openPortkey(),
  },
  "llm-bridge": {
    label: "llm-bridge",
    versionOf: "llm-bridge",
    open: async () => (await import("./subjects/llm-bridge.mjs")).openLlmBridge(),
  },
};

/** @typedef {keyof typeof SUBJECTS} SubjectName */

export const SUBJECT_NAMES = /** @type {readonly SubjectName[]} */ (Object.keys(SUBJECTS));
