import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import { unwrapSignature, wrapSignature } from "../../src/wire/signatures.ts";
import { same } from "../support/same.ts";

const anyDialect = fc.constantFrom(...Object.keys(ANSWER_FORMATS));
const anySigner = fc.option(anyDialect, { nil: undefined });
const anySignature = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.base64String().map((text) => `ZnVsbHN0b3A6${text}`),
);

describe("a provider's proof", () => {
  it("goes to clients of the provider's own dialect as it is", () => {
    expect(wrapSignature("proof", "gemini", "gemini")).toBe("proof");
    expect(wrapSignature("proof", undefined, "gemini")).toBe("proof");
    expect(unwrapSignature("proof", "gemini")).toEqual({ signature: "proof", signedBy: "gemini" });
  });

  it("does not look like another dialect's own", () => {
    const wrapped = wrapSignature("proof", "anthropic-messages", "gemini");
    expect(atob(wrapped)).toBe("fullstop:anthropic-messages:proof");
    expect(unwrapSignature(wrapped, "gemini")).toEqual({ signature: "proof", signedBy: "anthropic-messages" });
  });

  it("says that thinking is withheld where the dialect cannot", () => {
    const wrapped = wrapSignature("sealed", "anthropic-messages", "gemini", true);
    expect(unwrapSignature(wrapped, "gemini")).toEqual({
      signature: "sealed",
      signedBy: "anthropic-messages",
      redacted: true,
    });
  });

  it("comes back as it was, whatever it is and however often it was wrapped", () => {
    fc.assert(
      fc.property(anySignature, anySigner, fc.boolean(), anyDialect, anyDialect, (...drawn) => {
        const [signature, signedBy, isRedacted, first, second] = drawn;
        const once = wrapSignature(signature, signedBy, first, isRedacted);
        const proof = { signature, signedBy: signedBy ?? first };
        same(unwrapSignature(once, first), isRedacted ? { ...proof, redacted: true } : proof);
        // Another fullstop has it from a provider that speaks the first dialect, and serves clients of the second.
        const twice = wrapSignature(once, first, second);
        same(unwrapSignature(twice, second), { signature: once, signedBy: first });
      }),
      { numRuns: 2_000 },
    );
  });

  it("is base 64 when it is wrapped, and is known in either alphabet", () => {
    fc.assert(
      fc.property(anySignature, (signature) => {
        const wrapped = wrapSignature(signature, "anthropic-messages", "gemini");
        const bytes = Buffer.from(wrapped, "base64");
        same(bytes.toString("base64"), wrapped);
        same(unwrapSignature(bytes.toString("base64url"), "gemini"), unwrapSignature(wrapped, "gemini"));
      }),
    );
  });

  it.each(["ZnVsbHN0b3A6", "ZnVsbHN0b3A6!", "ZnVsbHN0b3A6e30=", "ZnVsbHN0b3A6WzFd"])(
    "that only begins like a wrapped one is the dialect's own: %s",
    (signature) => {
      expect(unwrapSignature(signature, "gemini")).toEqual({ signature, signedBy: "gemini" });
    },
  );
});
