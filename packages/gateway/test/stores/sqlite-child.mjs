// Records generations in a file until it is killed, and says on its output what the store has acknowledged.
import { cancelledSignal } from "fullstop";
import { openSqliteStore } from "../../dist/stores/sqlite-store.js";

const [file, prefix, streams] = process.argv.slice(2);
const store = await openSqliteStore({ file });
say({ type: "opened" });
await Promise.all(Array.from({ length: Number(streams) }, (_, stream) => generate(stream)));

/** One endless generation, or one short one after the other. */
async function generate(stream) {
  const isEndless = stream % 4 === 0;
  for (let round = 0; ; round += 1) {
    const id = `${prefix}-${stream}-${round}`;
    const length = isEndless ? Infinity : (stream * 37 + round * 101) % 100;
    await store.open({ id, owner: "alice", model: "pip", startedAt: 1, holder: prefix });
    say({ type: "recorded", id, events: 0 });
    for (let offset = 0; offset < length;) {
      const events = Array.from({ length: 1 + (offset % (isEndless ? 32 : 4)) }, (_each, index) =>
        eventOf(id, offset + index),
      );
      await store.append(id, offset, events);
      offset += events.length;
      say({ type: "recorded", id, events: offset });
    }
    await store.finish(id, cancelledSignal(id));
    say({ type: "finished", id });
  }
}

function eventOf(id, index) {
  return { type: "text", text: `${id} ${index}` };
}

/** Written at once: what is in the pipe is there when this process is not. */
function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
