import { afterEach, describe, expect, it } from "vitest";
import { crashOnce, openSlowUpstream } from "../support/crash.ts";
import { createReplicaRoom } from "../support/replicas.ts";

const room = createReplicaRoom(afterEach);

/** The benchmark of the replicas does it 20 times. */
const CRASHES = 3;
const STREAMS = 200;

describe("a server with a file, killed in the middle of many streams", () => {
  it(`has every event that a client has received, and one end for each, ${CRASHES} times`, async () => {
    const upstream = await openSlowUpstream(room);
    const file = room.file("generations.db");
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const found = await crashOnce(room, upstream, file, { streams: STREAMS, pieces: 11 + crash * 2 });
      expect(found).toMatchObject({ lost: 0, wronglyEnded: 0, integrity: '[{"integrity_check":"ok"}]' });
      expect(found.received).toBeGreaterThan(STREAMS * 10);
      expect(found.endings).toEqual({ natural_completion: STREAMS / 4, truncated: (STREAMS * 3) / 4 });
    }
  });
});
