import { ANSWER_FORMATS } from "fullstop/wire";

/** How `fullstop inspect` is called, in one line. */
export const USAGE: string = "usage: fullstop inspect [--json] [--format F] [--chunk-bytes N] [--status N] FILE…\n";

/** All about `fullstop inspect`. */
export const HELP: string = `${USAGE}
Says what a recorded answer of a model provider is and how it ended. A FILE holds the body of one answer, streamed or
whole; - is standard input.

  --json           one line of JSON for each file: file, format, signal, truncated, text, reasoning, toolCalls, usage
  --format F       the dialect of the answers, instead of recognising it:
${Object.keys(ANSWER_FORMATS)
  .map((name) => `                     ${name}\n`)
  .join("")}\
  --chunk-bytes N  feed the decoder in pieces of N bytes, to see that cuts do not matter
  --status N       the HTTP status that came with the answers; from 400 on they are errors
  --help           this text

The exit code is 0 if every file could be read, however its answer ended, 1 if not, and 2 for a wrong call.
`;
