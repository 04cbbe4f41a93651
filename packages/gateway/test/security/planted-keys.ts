/** Keys that can be told from everything else, each from the others. */
export const PLANTED = {
  alice: "planted-alice-7f3a9c51",
  olga: "planted-olga-1c22d9e0",
  wrong: "planted-wrong-55aa0b3e",
  provider: "planted-provider-90be17c4",
  caller: "planted-caller-3d5e6f70",
  environment: "sk-planted-environment-8812ffab",
  redis: "planted-redis-password-4411",
  bot: "123456789:planted-bot-token-AAAAAAAAAAAAAAAAAAA",
  webhook: "planted-webhook-secret-66",
  hub: "hf_plantedhubtoken0123456789",
  gateway: "planted-gateway-key-2b6d01",
} as const;

/** The names of the keys that stand in a text, whole or nearly. */
export function keysIn(text: string): readonly string[] {
  const plain = text.replaceAll(/%(?<hex>[0-9a-f]{2})/giu, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Object.entries(PLANTED).flatMap(([name, key]) => {
    const encoded = Buffer.from(key).toString("base64").replaceAll("=", "");
    const isThere = [key, key.slice(0, -4), encoded].some((each) => text.includes(each) || plain.includes(each));
    return isThere ? [name] : [];
  });
}
