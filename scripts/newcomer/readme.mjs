// @ts-check

/**
 * A piece of code of the README.
 *
 * @typedef {{ readonly language: string, readonly code: string, readonly line: number, readonly heading: string }} Example
 */

/**
 * The pieces of code of a page, in order, each with the heading that it stands under.
 *
 * @param {string} text
 * @returns {readonly Example[]}
 */
export function examplesOf(text) {
  return [...text.matchAll(/^```(?<language>\w+)\n(?<code>.*?)^```$/gmsu)].map(({ groups = {}, index }) => {
    const before = text.slice(0, index);
    return {
      language: groups["language"] ?? "",
      code: groups["code"] ?? "",
      line: before.split("\n").length,
      heading:
        before
          .match(/^#+ .*$/gmu)
          ?.at(-1)
          ?.replace(/^#+ /u, "") ?? "",
    };
  });
}

/**
 * The command of the page that begins with these words, without the comment behind it.
 *
 * @param {readonly Example[]} examples
 * @param {string} beginning
 */
export function commandOf(examples, beginning) {
  const lines = examples.filter(({ language }) => language === "sh").flatMap(({ code }) => code.split("\n"));
  const line = lines.find((each) => each.startsWith(beginning));
  if (line === undefined) throw new Error(`The README has no command that begins with ${JSON.stringify(beginning)}.`);
  return line.replace(/\s+#.*$/u, "");
}

/**
 * What an example says it prints: the comments behind its `console.log` lines.
 *
 * @param {Example} example
 * @returns {readonly string[]}
 */
export function promisesOf({ code }) {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (?<output>.*)$/gmu)].map(({ groups }) => groups?.["output"] ?? "");
}
