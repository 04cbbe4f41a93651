import { describe, expect, it } from "vitest";
import { startExample } from "./support/example-process.ts";

describe("the agent on Pip", () => {
  it("asks a tool and answers with what it says", async () => {
    const agent = startExample("local-agent", ["agent.ts", "What is the weather in Oslo?"]);
    expect(await agent.exit).toBe(0);
    expect(agent.stdout()).toMatch(/7.*rain|rain.*7/u);
    expect(agent.stderr()).toContain('[get_weather {"city": "Oslo"} gave');
    expect(agent.stderr()).toContain("[completed after 2 turns]");
  });

  it("keeps what came when it is interrupted", async () => {
    const agent = startExample("local-agent", ["agent.ts", "Count forever"]);
    await expect.poll(agent.stdout).toContain("1, 2, 3, ");
    agent.child.kill("SIGINT");
    expect(await agent.exit).toBe(0);
    expect(agent.stdout()).toMatch(/^1, 2, 3, /u);
    expect(agent.stderr()).toContain("[stopped after 1 turns]");
  });
});
