import { once } from "node:events";
import { createServer, get } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { EventLog } from "../../src/generations/event-log.ts";
import { sendEvents } from "../../src/generations/send-events.ts";
import type { GenerationView } from "../../src/generations/view.ts";
import { close } from "../support/event-log.ts";

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

describe("events for a reader who wants to see what is held back", () => {
  it("leave no timer behind where the reader has gone while the generation was looked for", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const request = get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", agent: false });
    request.on("error", () => undefined);
    const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    const gone = once(response, "close");
    request.destroy();
    await gone;
    await new Promise((resolve) => server.close(resolve));
    const log = new EventLog();
    close(log);
    const view: Pick<GenerationView, "held" | "follow"> = { held: "", follow: (from) => log.follow(from) };
    const before = timers();

    await sendEvents(response, view as GenerationView, { from: 0, wantsHeld: true });

    expect(timers()).toBe(before);
  });
});
