/**
 * An agent with tools on Pip, the embedded model: `node agent.ts "What is the weather in Oslo?"`.
 *
 * Nothing is asked of the network. The answer goes to standard output as it comes; thinking, calls and the ending go to
 * standard error. Ctrl+C stops it within a token, keeps what came, and leaves a history that can be gone on with.
 */
import { defineGuard } from "fullstop";
import { createAgentRun, defineTool } from "fullstop/agent";
import { createLlamaEngine } from "fullstop/llama";

const { MODEL = "pip" } = process.env;
const question = process.argv.slice(2).join(" ") || "What is the weather in Oslo?";

const weather = defineTool({
  name: "get_weather",
  description: "Get the weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: () => ({ temperature: 7, condition: "rainy" }),
});
const die = defineTool({
  name: "roll_die",
  description: "Roll a die",
  parameters: { type: "object", properties: { sides: { type: "number" } }, required: ["sides"] },
  execute: () => ({ result: 5 }),
});

const engine = createLlamaEngine({ model: MODEL });
const run = createAgentRun({
  engine,
  request: { model: MODEL, messages: [{ role: "user", content: [{ type: "text", text: question }] }] },
  tools: [weather, die],
  stage: defineGuard({ repetition: true }),
  limits: { maxTurns: 10 },
});
// For as long as the process lives: once nobody listens any more, the library around llama.cpp ends it.
process.on("SIGINT", () => run.stop("user"));

for await (const event of run) {
  switch (event.type) {
    case "generation":
      if (event.event.type === "text") process.stdout.write(event.event.text);
      if (event.event.type === "reasoning") process.stderr.write(event.event.text);
      break;
    case "tool-end":
      console.error(`\n[${event.call.name} ${event.call.json} gave ${JSON.stringify(event.result.content)}]`);
      break;
    case "end":
      console.error(`\n[${event.result.end} after ${event.result.turns} turns]`);
      break;
    default:
  }
}
await engine.dispose();
