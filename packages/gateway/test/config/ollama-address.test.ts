import { describe, expect, it } from "vitest";
import { ollamaAddress } from "../../src/config/ollama-address.ts";

describe("OLLAMA_HOST", () => {
  it.each([
    ["127.0.0.1", "http://127.0.0.1:11434"],
    ["127.0.0.1:1234", "http://127.0.0.1:1234"],
    [":11434", "http://127.0.0.1:11434"],
    [":1234/", "http://127.0.0.1:1234"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["0.0.0.0:80", "http://127.0.0.1"],
    ["http://0.0.0.0:11434", "http://127.0.0.1:11434"],
    ["[::]:11434", "http://[::1]:11434"],
    ["::1", "http://[::1]:11434"],
    ["[::1]", "http://[::1]:11434"],
    ["models.example", "http://models.example:11434"],
    ["models.example/ollama", "http://models.example:11434/ollama"],
    ["models.example:8080/ollama/", "http://models.example:8080/ollama"],
    ["http://models.example", "http://models.example"],
    ["https://models.example", "https://models.example"],
    ["https://models.example:8443/ollama", "https://models.example:8443/ollama"],
    [' "127.0.0.1:1234" ', "http://127.0.0.1:1234"],
  ])("of %s is %s, as Ollama's own programs read it", (host, address) => {
    expect(ollamaAddress(host)).toBe(address);
  });

  it.each(["http://", "https:///", "ftp://models.example", "models example", "127.0.0.1:port", "host:99999"])(
    "of %s is refused, without being quoted",
    (host) => {
      expect(() => ollamaAddress(host)).toThrow(/^it must be where Ollama is, such as 127\.0\.0\.1:11434/u);
    },
  );
});
