/** A server-sent event, as far as it matters here. */
export interface SentEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Reads a frame without the blank line after it; undefined where it has no data. Not with a regular expression: for
 * those a line also ends at characters that are part of the data.
 */
export function readFrame(frame: string): SentEvent | undefined {
  const lines = frame.split("\n");
  const field = (name: string): string | undefined => lines.find((line) => line.startsWith(name))?.slice(name.length);
  const data = field("data: ");
  return data === undefined ? undefined : { id: field("id: "), data };
}
