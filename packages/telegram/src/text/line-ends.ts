/**
 * Replaces every line end, and all white space around it, by one text. White space is looked at in whole runs: a
 * pattern that looks for a line end behind white space begins anew at each blank of a run that has none, and a model
 * that writes a hundred thousand blanks would hold up the bot for seconds.
 */
export function replaceLineEnds(text: string, by: string): string {
  return text.replaceAll(/\s+/gu, (run) => (run.includes("\n") ? by : run));
}
