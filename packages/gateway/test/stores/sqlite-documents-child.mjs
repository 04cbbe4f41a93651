// Writes and deletes documents in a file until it is killed, and says on its output what the store has acknowledged.
import { openSqliteStore } from "../../dist/stores/sqlite-store.js";

const [file, folder, names] = process.argv.slice(2);
const store = await openSqliteStore({ file });
await Promise.all(Array.from({ length: Number(names) }, (_, index) => change(index)));

async function change(index) {
  const name = `${index}`;
  for (let count = 1; ; count += 1) {
    const value = JSON.stringify({ count, filling: "x".repeat((count * 7919) % 20_000) });
    await store.writeDocument(folder, name, value, { keepMilliseconds: 3_600_000, expected: "any" });
    say({ name, count, isThere: true });
    if (count % 5 !== 0) continue;
    // Said before as well: it may be carried out without this process getting to say so.
    say({ name, count, isThere: undefined });
    await store.deleteDocument(folder, name, "any");
    say({ name, count, isThere: false });
  }
}

/** Written at once: what is in the pipe is there when this process is not. */
function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
