// @ts-check

/**
 * What nobody can do without: text out of bytes, lines out of text, values out of JSON. It knows no carriage returns,
 * no payload of several lines, no errors and no end, and makes nothing of the values.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const floor = ({ chunks, format }) => {
  const prefix = format === "ollama-chat" ? "" : "data: ";
  return () => {
    const decoder = new TextDecoder();
    let rest = "";
    let events = 0;
    for (const chunk of chunks) {
      const lines = decoder.decode(chunk, { stream: true }).split("\n");
      // Only new text is split: a line of many chunks would be searched over and over.
      lines[0] = rest + (lines[0] ?? "");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "" || !line.startsWith(prefix)) continue;
        const payload = line.slice(prefix.length);
        if (payload !== "[DONE]" && JSON.parse(payload) !== null) events += 1;
      }
    }
    return { events };
  };
};
