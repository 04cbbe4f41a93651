/** What somebody has typed: a question, or a wish about the conversation. */
export type Wish =
  | { readonly type: "ask"; readonly prompt: string }
  | { readonly type: "new" | "exit" | "help" | "nothing" }
  | { readonly type: "unknown"; readonly command: string };

/** Reads a line. What begins with two slashes is a question that begins with one. */
export function readWish(line: string): Wish {
  const prompt = line.trim();
  if (prompt === "") return { type: "nothing" };
  if (prompt.startsWith("//")) return { type: "ask", prompt: prompt.slice(1) };
  if (!prompt.startsWith("/")) return { type: "ask", prompt };
  const command = prompt.slice(1);
  if (command === "exit" || command === "quit") return { type: "exit" };
  if (command === "new" || command === "help") return { type: command };
  return { type: "unknown", command: prompt };
}

/** The lines of a text that comes in pieces; the last one need not end. */
export async function* readLines(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
