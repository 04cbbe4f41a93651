import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { get, hashOf, post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({
  keys: [
    { name: "alice", sha256: hashOf("a") },
    { name: "bob", sha256: hashOf("b") },
    { name: "olga", sha256: hashOf("o"), operator: true },
  ],
});
const as = (key: string) => ({ authorization: `Bearer ${key}` });

interface Page {
  readonly generations: readonly { readonly id: string; readonly owner: string }[];
  readonly next: string | null;
}

async function historyOf(key: string, query = ""): Promise<Page> {
  const { body } = await get(`${gateway.url}/v1/generations?state=ended${query}`, as(key));
  return body as Page;
}

async function ask(key: string, others: object = {}): Promise<void> {
  gateway.script("openai-chat", [start(), text("Yes"), usage(7, 2), finish()]);
  const body = { model: "openai-chat/any-model", messages: [{ role: "user", content: "?" }], ...others };
  await post(`${gateway.url}/v1/chat/completions`, body, as(key));
}

describe("the history", () => {
  it("has what has ended, the newest first, each with its ending, its times and its tokens", async () => {
    expect(await historyOf("a")).toEqual({ generations: [], next: null });
    for (const key of ["a", "b", "a"]) await ask(key);
    const { generations, next } = await historyOf("a");
    expect(next).toBeNull();
    expect(generations).toHaveLength(2);
    expect(generations[0]).toMatchObject({
      owner: "alice",
      model: "openai-chat/any-model",
      signal: { reason: "natural_completion" },
      usage: { inputTokens: 7, outputTokens: 2 },
    });
    const [newest, oldest] = generations as unknown as readonly { endedAt: string; startedAt: string }[];
    expect(newest!.endedAt >= oldest!.endedAt).toBe(true);
    expect(newest!.startedAt <= newest!.endedAt).toBe(true);
  });

  it("is of whoever asks; operators see everybody's", async () => {
    expect((await historyOf("b")).generations.map(({ owner }) => owner)).toEqual(["bob"]);
    expect((await historyOf("o")).generations.map(({ owner }) => owner)).toEqual(["alice", "bob", "alice"]);
  });

  it("is read page by page", async () => {
    const first = await historyOf("o", "&limit=2");
    expect(first.generations).toHaveLength(2);
    expect(first.next).toMatch(new RegExp(`^@\\d+\\.${first.generations[1]!.id}$`, "u"));
    const second = await historyOf("o", `&limit=2&before=${first.next}`);
    expect(second.generations).toHaveLength(1);
    expect(second.next).toBeNull();
    const ids = [...first.generations, ...second.generations].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  it("says how many tokens there could have been, where that is known", async () => {
    await ask("b", { max_completion_tokens: 50 });
    const { generations } = await historyOf("b");
    expect(generations).toMatchObject([{ maxOutputTokens: 50 }, {}]);
    expect(generations[1]).not.toHaveProperty("maxOutputTokens");
  });

  it.each([
    ["?state=over", 'state must be "running" or "ended", got "over"'],
    ["?state=ended&limit=0", 'limit must be a whole number from 1 to 1000, got "0"'],
    ["?state=ended&limit=many", 'limit must be a whole number from 1 to 1000, got "many"'],
    ["?state=ended&limt=2", 'The list of generations takes state, limit, before, got "limt"'],
    ["?limit=2", 'The list of those that run takes state, got "limit"'],
  ])("refuses %s", async (query, message) => {
    expect(await get(`${gateway.url}/v1/generations${query}`, as("a"))).toMatchObject({
      status: 400,
      body: { error: { message } },
    });
  });
});
