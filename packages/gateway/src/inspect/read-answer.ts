import { compose } from "fullstop";
import type { GenerationEvent, Stage } from "fullstop";
import { decodeAnyStream } from "fullstop/detect";
import { ANSWER_FORMATS } from "fullstop/wire";
import type { WireFormatName } from "fullstop/wire";
import { definePieces } from "./pieces.ts";
import { createSummaryCollector } from "./summary.ts";
import type { InspectedAnswer } from "./summary.ts";

/** How to read an answer. */
export interface ReadAnswerOptions {
  /** The dialect; undefined to recognise it. */
  readonly format: WireFormatName | undefined;
  /** In pieces of how many bytes to feed the decoder; undefined for pieces as they come. */
  readonly chunkBytes: number | undefined;
  /** The HTTP status, where it is known. */
  readonly status: number | undefined;
}

/** Reads one answer to its end, each piece decoded as it comes. What the source throws is thrown on. */
export async function readAnswer(
  file: string,
  source: AsyncIterable<Uint8Array | string>,
  options: ReadAnswerOptions,
): Promise<InspectedAnswer> {
  const { chunkBytes, status } = options;
  // What is assumed where nothing tells.
  let format = options.format ?? "openai-chat";
  const decode: Stage<Uint8Array, GenerationEvent> =
    options.format === undefined
      ? decodeAnyStream({ status, fallback: format, onFormat: (recognised) => void (format = recognised) })
      : ANSWER_FORMATS[options.format].decodeStream({ status });
  const stage = chunkBytes === undefined ? decode : compose(definePieces(chunkBytes), decode);
  const collector = createSummaryCollector();
  const sink = stage(collector.sink);
  let size = 0;
  for await (const chunk of source) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    sink.push(bytes);
  }
  sink.end();
  return { file, format, size, summary: collector.summarise() };
}
