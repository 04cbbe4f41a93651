// @ts-check
/**
 * `npm run demo`: Pip, the embedded model, generating on this machine, and five ways in which an answer ends. Thinking is
 * shown in grey.
 */
import { createLlamaEngine } from "fullstop/llama";

const GREY = process.stdout.isTTY ? "\u001b[90m" : "";
const PLAIN = process.stdout.isTTY ? "\u001b[0m" : "";

/** @typedef {{ title: string, ask: string, others?: Partial<import("fullstop/llama").LlamaRequest>, skipAfter?: number }} Scene */

/** @type {readonly Scene[]} */
const SCENES = [
  { title: "The model ends by itself", ask: "What is 312 + 230?" },
  {
    title: 'A stop string of four tokens (stop: ["</answer>"])',
    ask: "What number comes before 395? Use <answer></answer>.",
    others: { stop: ["</answer>"], reasoning: { effort: "none" } },
  },
  {
    title: "A loop (rules: { repetition: true })",
    ask: "Say I am going around in circles forever",
    others: { rules: { repetition: true }, reasoning: { effort: "none" } },
  },
  {
    title: "A limit (maxOutputTokens: 30)",
    ask: "Count from 1 to 50",
    others: { maxOutputTokens: 30, reasoning: { effort: "none" } },
  },
  { title: "Somebody skips the thinking after four tokens", ask: "What is 312 + 230?", skipAfter: 4 },
];

const engine = createLlamaEngine({ model: "pip" });
const { name, contextTokens } = await engine.load();
console.log(`${name} is loaded, with a context of ${contextTokens} tokens.`);
for (const scene of SCENES) await play(scene);
await engine.dispose();
console.log("\nTo try it yourself in a browser: npm start, and open http://127.0.0.1:8787/");

/** @param {Scene} scene */
async function play({ title, ask, others, skipAfter }) {
  console.log(`\n${title}\n> ${ask}`);
  const messages = /** @type {const} */ ([{ role: "user", content: [{ type: "text", text: ask }] }]);
  const generation = engine.generate({ model: "pip", messages, ...others }, new AbortController().signal);
  let thoughts = 0;
  for await (const event of generation) {
    if (event.type === "text") process.stdout.write(event.text);
    if (event.type === "reasoning") {
      process.stdout.write(`${GREY}${event.text}${PLAIN}`);
      thoughts += 1;
      if (thoughts === skipAfter) generation.skipThinking();
    }
    if (event.type === "usage") console.log(`\n  tokens: ${JSON.stringify(event.usage)}`);
    if (event.type === "finish") console.log(`  ending: ${event.signal.reason}. ${event.signal.message ?? ""}`);
  }
}
