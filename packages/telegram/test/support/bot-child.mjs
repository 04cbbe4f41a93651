// A bot in a process of its own, so that it can be killed. Says on its output when it runs.
import { AGENT_WORDING } from "fullstop/agent";
import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { createBot } from "../../dist/index.js";
import { openRedisStore, openSqliteStore } from "../../../gateway/dist/stores/index.js";

const [token = "", apiRoot, kind, place = "", lease, grace, merge] = process.argv.slice(2);
const store = kind === "redis" ? await openRedisStore({ url: place }) : await openSqliteStore({ file: place });
const more = createGate();
const bot = await createBot({
  token,
  apiRoot,
  store,
  model: "scripted",
  engine: createScriptedEngine(answer),
  mergeMilliseconds: Number(merge),
  pace: { privateMilliseconds: 10, groupMilliseconds: 20 },
  leaseMilliseconds: Number(lease),
  // That of whoever was killed before: what that one has left is not this one's yet.
  name: "bot",
});
process.on("SIGUSR2", () => more.open());
process.once("SIGTERM", () => void stop());
// Written at once: what is in the pipe is there when this process is not.
process.stdout.write("running\n");
await bot.poll();

/**
 * Does as it is asked. The second half of an answer comes when the test says so.
 *
 * @type {(request: import("fullstop").GenerationRequest) => readonly import("fullstop/testing").ScriptStep[]}
 */
function answer({ messages }) {
  const forEver = () => new Promise(() => undefined);
  const said = messages.map((message) => `${message.role}: ${textOf(message)}`);
  const questions = said.filter((line) => line.startsWith("user: "));
  switch (questions[questions.length - 1]) {
    case "user: Begin a story":
      return [start(), reasoning("A tale?"), text("Once upon"), more.pass, text(" a time"), forEver];
    case "user: Say nothing":
      return [start(), forEver];
    case "user: Say it all":
      return [start(), text("This is"), more.pass, text(" all."), finish()];
    case "user: Break off":
      // What was said is taken back then, and the model is asked once more.
      return [start(), text("Once upon"), more.pass, finish("error_termination", { detail: "malformed_tool_call" })];
    case `user: ${AGENT_WORDING.malformedCall}`:
      return [start(), text("There was"), forEver];
    default:
      return [start(), text(said.join("\n")), finish()];
  }
}

/** @type {(message: import("fullstop").Message) => string} */
function textOf({ content }) {
  return content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
}

async function stop() {
  await bot.stop({ graceMilliseconds: Number(grace) });
  await store.close();
}
