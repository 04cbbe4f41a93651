// @ts-check

/**
 * The filter that most people would write: keep the last characters, look for each string, write the rest. It shows
 * the same as `fullstop pipe`, later, and knows nothing of loops, limits and broken characters.
 */
const stops = process.argv.slice(2);
const kept = Math.max(...stops.map((stop) => stop.length)) - 1;
let text = "";

process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) {
  text += String(chunk);
  const found = stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0);
  if (found.length > 0) {
    text = text.slice(0, Math.min(...found));
    break;
  }
  const cut = Math.max(0, text.length - kept);
  process.stdout.write(text.slice(0, cut));
  text = text.slice(cut);
}
process.stdout.write(text);
