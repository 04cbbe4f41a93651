import type { GenerationEvent } from "fullstop";
import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { ASKED_DIALECTS } from "../support/dialects.ts";
import { openScripted } from "../support/scripted.ts";
import { SERVED_FORMATS, streamOf } from "../support/upstream.ts";

const gateway = await openScripted();

/** An answer whose provider says at the start what the prompt has, and of what it writes only the first token. */
const ANSWER: readonly GenerationEvent[] = [
  start(),
  usage(9, 1),
  text("A long word or two, and END, and many more."),
  usage(9, 12),
  finish(),
];

describe.each(ASKED_DIALECTS)("the token counts of an answer of %s that a stop string ends", (dialect) => {
  it("are of all that has come, also where its end came at once with the match", async () => {
    gateway.script(dialect, [{ raw: streamOf(SERVED_FORMATS[dialect], ANSWER) }]);
    const ask = CLIENTS["openai-chat"](gateway.url);
    const told = await ask({ model: `${dialect}/any-model`, stream: false, stop: ["END"] });
    expect(told).toMatchObject({ text: "A long word or two, and ", usage: { output: 11 } });
  });
});
