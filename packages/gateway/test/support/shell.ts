/** One command of a shell script: its words, without the variables set for it. */
export type ShellCommand = readonly string[];

const WORD = /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"|\$\([^)]*\)|[^\s'"&|;]+/gsuy;

/** Takes a script of the documentation apart. It knows quotes, continued lines, comments, `&&`, `|` and `;`. */
export function readScript(script: string): readonly ShellCommand[] {
  const commands: string[][] = [[]];
  const text = script.replaceAll("\\\n", " ");
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const end = /^(?:\n|&&|\|\||[|;&])/u.exec(rest)?.[0];
    const skipped = /^(?:[^\S\n]+|#[^\n]*)/u.exec(rest)?.[0];
    if (end !== undefined) commands.push([]);
    else if (skipped === undefined) {
      const { word, length } = readWord(text, at);
      commands.at(-1)?.push(word);
      at += length;
      continue;
    }
    at += (end ?? skipped ?? "").length;
  }
  return commands.map(withoutVariables).filter((words) => words.length > 0);
}

/** A word may be several pieces next to each other, some of them in quotes. */
function readWord(text: string, start: number): { readonly word: string; readonly length: number } {
  let word = "";
  let at = start;
  for (;;) {
    WORD.lastIndex = at;
    const piece = WORD.exec(text);
    if (piece === null) break;
    word += piece.groups?.["single"] ?? piece.groups?.["double"] ?? piece[0];
    at += piece[0].length;
  }
  if (at === start) throw new Error(`A script cannot be read from here on: ${text.slice(start, start + 40)}`);
  return { word, length: at - start };
}

function withoutVariables(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^\w+=/u.test(word));
  return first < 0 ? [] : words.slice(first);
}
