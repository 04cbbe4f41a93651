// @ts-check
/**
 * What `npm start` shows until there is a server: three short texts that go through a guard piece by piece, with what
 * is shown, what is held back, and how each ended.
 */
import { createTextGuard } from "fullstop";

/** @type {readonly {title: string, rules: import("fullstop").StopRuleOptions, pieces: readonly string[]}[]} */
const SCENES = [
  {
    title: 'A stop string over three tokens (stop: ["</answer>"])',
    rules: { stop: ["</answer>"] },
    pieces: ["The ", "answer ", "is ", "42", "</", "ans", "wer>", " and ", "more"],
  },
  {
    title: 'A beginning that comes to nothing (stop: ["</answer>"])',
    rules: { stop: ["</answer>"] },
    pieces: ["An ", "</an", "gle ", "bracket"],
  },
  {
    title: "A loop (repetition: true)",
    rules: { repetition: true },
    pieces: ["Let me see. ", ...Array.from({ length: 40 }, () => "I should check that once more. ")],
  },
];

for (const { title, rules, pieces } of SCENES) {
  console.log(`\n${title}`);
  const guard = createTextGuard(rules);
  let shown = "";
  let read = 0;
  for (const piece of pieces) {
    shown += guard.push(piece);
    read += 1;
    const held = guard.held === "" ? "" : `, held back: ${JSON.stringify(guard.held)}`;
    if (pieces.length < 10)
      console.log(`  read ${JSON.stringify(piece).padEnd(12)} shown: ${JSON.stringify(shown)}${held}`);
    if (guard.signal !== undefined) break;
  }
  shown += guard.end();
  console.log(`  ${read} of ${pieces.length} pieces read, ${shown.length} characters shown`);
  console.log(`  ending: ${guard.signal?.reason ?? "none, the text just ended"}`);
  if (guard.signal?.message !== undefined) console.log(`  ${guard.signal.message}`);
}
