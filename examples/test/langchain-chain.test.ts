import { describe, expect, it } from "vitest";
import { startServe } from "../../packages/gateway/test/support/serve.ts";
import { startExample } from "./support/example-process.ts";
import { endless, openProvider } from "./support/provider.ts";

describe("the chain of LangChain", () => {
  it("ends at a stop string of Pip's behind the gateway, and says why", async () => {
    const gateway = await startServe(["--port", "0"], { cwd: import.meta.dirname });
    try {
      const question = "What number comes before 395?";
      const chain = startExample("langchain-chain", ["chain.ts", question], { OPENAI_BASE_URL: `${gateway.url}/v1` });
      expect(await chain.exit).toBe(0);
      expect(chain.stdout()).toBe("<answer>394");
      expect(chain.stderr()).toContain("[stop_sequence: </answer>]");
    } finally {
      gateway.child.kill();
      await gateway.exit;
    }
  });

  it("ends a loop, and closes the connection to the provider", async () => {
    const phrase = "I am going around in circles. ";
    const provider = await openProvider(endless(...Array.from({ length: 60 }, () => phrase)));
    const chain = startExample("langchain-chain", ["chain.ts"], { OPENAI_BASE_URL: provider.baseUrl });
    expect(await chain.exit).toBe(0);
    expect(chain.stderr()).toContain("[repetition_detected]");
    expect(await provider.requests[0]?.closed).toBe("gone");
  });

  it("keeps what came when it is interrupted, and closes the connection to the provider", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const chain = startExample("langchain-chain", ["chain.ts"], { OPENAI_BASE_URL: provider.baseUrl });
    await expect.poll(chain.stdout).toBe("Once upon a time");
    chain.child.kill("SIGINT");
    expect(await chain.exit).toBe(0);
    expect(chain.stdout()).toBe("Once upon a time");
    expect(chain.stderr()).toContain("[cancelled]");
    expect(await provider.requests[0]?.closed).toBe("gone");
  });
});
