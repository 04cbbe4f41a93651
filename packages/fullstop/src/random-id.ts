/** A random name for something. Browsers have `randomUUID` on pages of secure origins only, and this everywhere. */
export function createRandomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
