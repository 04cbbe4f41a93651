// @ts-check
import { ANTHROPIC_MESSAGES } from "./anthropic-messages.mjs";
import { GEMINI } from "./gemini.mjs";
import { ODDITIES } from "./oddities.mjs";
import { OPENAI_CHAT } from "./openai-chat.mjs";
import { OPENAI_RESPONSES } from "./openai-responses.mjs";

/**
 * Answers that were written here: every ending of every dialect that the peers speak too, as a stream and whole.
 *
 * @type {readonly import("./case.mjs").AccuracyCase[]}
 */
export const SYNTHETIC_CASES = [...OPENAI_CHAT, ...ODDITIES, ...OPENAI_RESPONSES, ...ANTHROPIC_MESSAGES, ...GEMINI];
