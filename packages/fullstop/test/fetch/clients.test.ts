import { expect, it, onTestFinished } from "vitest";
import { CLIENTS } from "../support/fetch-clients.ts";
import { describeClients, guard } from "../support/fetch-contract.ts";
import { finish, start, text } from "../support/official.ts";
import { openProviderServer } from "../support/provider-server.ts";

describeClients(CLIENTS);

it("serves many calls at a time, each with its own ending", async () => {
  const server = await openProviderServer("openai-chat", ({ messages }) => {
    const [part] = messages[0]?.content ?? [];
    const word = part?.type === "text" ? part.text : "";
    return [start, text(`${word} STO`), text(word === "a" ? "P never" : "RY"), finish("natural_completion")];
  });
  onTestFinished(() => server.close());
  const { fetch } = guard({ stop: ["STOP"] });
  const ask = async (word: string): Promise<readonly unknown[]> => {
    const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: word }] });
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: "POST", body });
    await response.text();
    return [word, (await fetch.signalOf(response))?.reason];
  };
  const words = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? "a" : "b"));
  const expected = words.map((word) => [word, word === "a" ? "stop_sequence" : "natural_completion"]);
  expect(await Promise.all(words.map(ask))).toEqual(expected);
});
