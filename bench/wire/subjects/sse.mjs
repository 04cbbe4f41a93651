// @ts-check
import { createParser } from "eventsource-parser";
import { decodeSse } from "fullstop/wire";

/** What ends a stream of Chat Completions is an event, but none with a JSON payload. */
const SENTINEL = "[DONE]";

/**
 * Our reader of event streams on its own.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const fullstopSse = ({ chunks }) => {
  const stage = decodeSse();
  return () => {
    let events = 0;
    const sink = stage({
      push({ data }) {
        if (data !== SENTINEL) events += 1;
      },
      end: () => undefined,
    });
    for (const chunk of chunks) sink.push(chunk);
    sink.end();
    return { events };
  };
};

/**
 * eventsource-parser, which takes text: decoding the bytes is part of the work here as it is for ours.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const eventsourceParser =
  ({ chunks }) =>
  () => {
    let events = 0;
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent({ data }) {
        if (data !== SENTINEL) events += 1;
      },
    });
    for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
    parser.feed(decoder.decode());
    return { events };
  };
