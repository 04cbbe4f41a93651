import { describe, expect, it } from "vitest";
import type { PeerAnswer } from "./support/ask-peer.ts";
import { startExample } from "./support/example-process.ts";
import { endless, openProvider, whole } from "./support/provider.ts";
import type { Upstream } from "../../packages/gateway/test/support/upstream.ts";

/** What the README says of others, as they are in the versions that are installed here. */
async function askPeer(peer: "ai-sdk" | "langchain", provider: Upstream, ...wishes: string[]): Promise<PeerAnswer> {
  const asked = startExample("test", ["support/ask-peer.ts", peer, provider.baseUrl, ...wishes]);
  expect(await asked.exit).toBe(0);
  return JSON.parse(asked.stdout()) as PeerAnswer;
}

const PEERS = ["ai-sdk", "langchain"] as const;

describe("what is said of others", () => {
  it.each(PEERS)("%s hands stop strings to the provider, and shows what comes after them", async (peer) => {
    const provider = await openProvider(whole("It is 42</an", "swer> and so on"));
    const { text, ending } = await askPeer(peer, provider);
    expect({ text, ending }).toEqual({ text: "It is 42</answer> and so on", ending: "stop" });
    expect(provider.requests[0]?.body["stop"]).toHaveLength(5);
  });

  it.each(PEERS)("%s shows all of a loop", async (peer) => {
    const provider = await openProvider(whole(...Array.from({ length: 200 }, () => "I am going around in circles. ")));
    expect((await askPeer(peer, provider)).text).toHaveLength(200 * 30);
  });

  it("the AI SDK says that the body of an answer ended too early", async () => {
    const provider = await openProvider([
      { type: "start", id: "1", model: "m" },
      { type: "text", text: "It is" },
    ]);
    expect(await askPeer("ai-sdk", provider)).toMatchObject({ text: "It is", ending: "interrupted" });
  });

  it("LangChain says nothing of an answer whose body ends too early", async () => {
    const provider = await openProvider([
      { type: "start", id: "1", model: "m" },
      { type: "text", text: "It is" },
    ]);
    expect(await askPeer("langchain", provider)).toEqual({ shown: "It is", text: "It is", told: [] });
  });

  it("the AI SDK keeps no text of a step that is stopped", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const { shown, text, told } = await askPeer("ai-sdk", provider, "stop");
    expect(shown).toContain("Once upon");
    expect({ text, told }).toEqual({ told: ["abort with 0 steps"] });
    expect(await provider.requests[0]?.closed).toBe("gone");
  });

  it("LangChain throws at a stop, and what came is the reader's to keep", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const { shown, text, error } = await askPeer("langchain", provider, "stop");
    expect(shown).toContain("Once upon");
    expect(text).toBeUndefined();
    expect(error).toMatch(/abort/iu);
    expect(await provider.requests[0]?.closed).toBe("gone");
  });
});
