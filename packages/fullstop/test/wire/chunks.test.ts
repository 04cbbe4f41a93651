import { describe, expect, it } from "vitest";
import { FullstopError, run } from "../../src/index.ts";
import { decodeAnyStream } from "../../src/detect/index.ts";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";

/** What a caller without types might push who has decoded the body already. */
const TEXT = 'data: {"choices":[{"index":0,"delta":{"content":"It is 4."}}]}\n\n';

describe("a chunk that is text instead of bytes", () => {
  it.each([
    ["decodeAnyStream", decodeAnyStream],
    ...Object.values(ANSWER_FORMATS).map((format) => [format.name, () => format.decodeStream()] as const),
  ] as const)("is refused, with what to pass instead: %s", async (_, open) => {
    const reading = run([TEXT as never], open()).next();
    await expect(reading).rejects.toThrow(FullstopError);
    await expect(reading).rejects.toThrow("chunk must be a Uint8Array, as a response's body gives it");
  });
});
