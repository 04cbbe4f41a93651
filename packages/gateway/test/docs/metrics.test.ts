import { describe, expect, it } from "vitest";
import { openGatewayForFile } from "../support/gateway.ts";
import { readPage } from "../support/pages.ts";

const gateway = await openGatewayForFile({ metrics: { public: true } });

describe("the metrics of docs/operations.md", () => {
  it("are those that the gateway has", async () => {
    const told = await (await fetch(`${gateway.url}/metrics`)).text();
    const names = [...told.matchAll(/^# TYPE (?<name>fullstop_\w+) /gmu)].map(({ groups }) => groups!["name"]);
    const table = readPage("docs/operations.md").text.matchAll(/^\| `(?<name>fullstop_\w+)` /gmu);
    expect(new Set([...table].map(({ groups }) => groups!["name"]))).toEqual(new Set(names));
  });
});
