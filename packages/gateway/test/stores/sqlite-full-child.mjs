// Records a generation in a file until there is no more room for it, closes the store, and says how many events it has.
import { openSqliteStore } from "../../dist/stores/sqlite-store.js";

const [file] = process.argv.slice(2);
const store = await openSqliteStore({ file });
await store.open({ id: "g", owner: "alice", model: "pip", startedAt: 1, holder: "one" });
let events = 0;
while (await record()) events += 1;
await store.close();
process.stdout.write(`${events}\n`);

/** False where there was no room. */
function record() {
  const piece = { type: "text", text: `${events} ${"x".repeat(500)}` };
  return store.append("g", events, [piece]).then(
    () => true,
    () => false,
  );
}
