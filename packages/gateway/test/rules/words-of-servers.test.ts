import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();

interface Answer {
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly fullstop?: { readonly warnings?: readonly { readonly field: string }[] };
}

/** What is answered to a request with more fields, by a provider that has said "One END two END three". */
async function ask(more: object, model?: string): Promise<unknown> {
  return (await answerTo(more, model)).choices?.[0]?.message.content;
}

async function answerTo(more: object, model = "openai-chat/any-model"): Promise<Answer> {
  const said = ["One", " END", " two", " END", " three"].map((piece) => text(piece));
  for (const dialect of ["openai-chat", "anthropic-messages"] as const) {
    gateway.script(dialect, [start(), ...said, usage(9, 5), finish()]);
  }
  const messages = [{ role: "user", content: "Count." }];
  const { body } = await post(`${gateway.url}/v1/chat/completions`, { model, messages, stop: ["END"], ...more });
  return body as Answer;
}

describe("a request in the words of servers for open models", () => {
  it.each(["include_stop_str_in_output", "no_stop_trim"])("keeps the stop string by %s", async (name) => {
    expect(await ask({})).toBe("One ");
    expect(await ask({ [name]: true })).toBe("One END");
    expect(await ask({ [name]: true }, "anthropic-messages/any-model")).toBe("One END");
    expect(await ask({ [name]: false })).toBe("One ");
    expect(gateway.upstreams["openai-chat"].requests.at(-1)?.body).toMatchObject({ [name]: false });
  });

  it("has no stop string end it before min_tokens", async () => {
    expect(await ask({ min_tokens: 3 })).toBe("One END two ");
    expect(await ask({ min_tokens: 3, include_stop_str_in_output: true })).toBe("One END two END");
  });

  it("is not told that a rule was left out which is applied here, but that a value was which is for the server", async () => {
    const model = "anthropic-messages/any-model";
    const fieldsOf = async (more: object) =>
      (await answerTo({ max_tokens: 100, ...more }, model)).fullstop?.warnings?.map(({ field }) => field);
    expect(await fieldsOf({ include_stop_str_in_output: true, no_stop_trim: false, min_tokens: 1 })).toBeUndefined();
    expect(await fieldsOf({ min_tokens: "3", ignore_eos: true })).toEqual(["min_tokens", "ignore_eos"]);
  });

  it("gives way to what it says in ours", async () => {
    expect(await ask({ include_stop_str_in_output: true, fullstop: { include: false } })).toBe("One ");
  });

  it.each(["3", -1, 0, 1.5, null])("leaves a min_tokens of %o to the server", async (least) => {
    expect(await ask({ min_tokens: least })).toBe("One ");
  });
});
