import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { access, call, giveKey } from "../src/api/http.ts";

const { url } = await openGatewayForFile({ keys: [{ name: "alice", sha256: hashOf("quiet-harbour") }] });
const list = (): Promise<Response> => call(`${url}/v1/generations`);

const UNKNOWN = "The key is not known here";

describe("a key that is refused", () => {
  it("stays a key that was refused, whatever is asked without one since", async () => {
    giveKey("not-good");
    await expect(list()).rejects.toThrow(UNKNOWN);
    const refused = access.get();
    expect(refused).toEqual({ state: "needed", message: expect.stringContaining(UNKNOWN) as string });
    await expect(list()).rejects.toThrow("key");
    expect(access.get()).toBe(refused);
  });

  it("does not take the next one with it, when its refusal comes late", async () => {
    giveKey("not-good");
    const late = list();
    giveKey("quiet-harbour");
    await expect(late).rejects.toThrow(UNKNOWN);
    expect(access.get()).toEqual({ state: "given", key: "quiet-harbour" });
    expect((await list()).status).toBe(200);
  });
});
