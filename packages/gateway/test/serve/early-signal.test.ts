import { PassThrough, Writable } from "node:stream";
import { expect, it } from "vitest";
import { runServe } from "../../src/serve/command.ts";

it("a server that says where it listens can be told to end at once", async () => {
  const before = process.listenerCount("SIGTERM");
  let listening: number | undefined;
  const stdout = new Writable({
    write(_chunk, _encoding, done) {
      listening ??= process.listenerCount("SIGTERM") - before;
      process.emit("SIGTERM");
      done();
    },
  });
  const terminal = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: { FULLSTOP_STORE: "memory" } };
  const code = runServe(["--port", "0"], terminal);
  await expect.poll(() => listening).toBe(1);
  expect(await code).toBe(0);
});
