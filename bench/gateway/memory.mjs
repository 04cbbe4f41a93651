// @ts-check
import { CHAT_TO_MESSAGES } from "./catalogue.mjs";
import { openClient } from "./client.mjs";
import { writeQuestion } from "./questions.mjs";
import { SUBJECT_NAMES, startSubject } from "./subjects.mjs";

/**
 * The most memory that each subject's process has had, in mebibytes: after its start, and with all streams open.
 *
 * @typedef {Readonly<Record<import("./subjects.mjs").SubjectName, {atStart: number, peak: number}>>} MemoryFigures
 */

export const MEMORY_STREAMS = 500;
const ANSWER = { model: "150-tokens-every-100-ms", stream: true };

/**
 * Lets each subject, freshly started, serve many streams at once.
 *
 * @param {number} upstreamPort
 * @param {string} directory
 * @param {(progress: string) => void} showProgress
 * @returns {Promise<MemoryFigures>}
 */
export async function measureMemory(upstreamPort, directory, showProgress) {
  const figures = {
    bare: { atStart: 0, peak: 0 },
    portkey: { atStart: 0, peak: 0 },
    fullstop: { atStart: 0, peak: 0 },
  };
  for (const name of SUBJECT_NAMES) {
    showProgress(`memory: ${name}`);
    const subject = await startSubject(name, upstreamPort, directory);
    const question = writeQuestion(subject, CHAT_TO_MESSAGES, ANSWER, upstreamPort);
    const client = openClient();
    const before = await subject.costs();
    await Promise.all(Array.from({ length: MEMORY_STREAMS }, () => client.ask(question)));
    const after = await subject.costs();
    client.close();
    await subject.stop();
    figures[name] = { atStart: inMebibytes(before.peakResidentBytes), peak: inMebibytes(after.peakResidentBytes) };
  }
  return figures;
}

/**
 * @param {number} bytes
 * @returns {number}
 */
function inMebibytes(bytes) {
  return bytes / 2 ** 20;
}
