import { SIGN_OF_LIFE } from "./signs-of-life.ts";

/** How the frames of one stream stand on the wire. */
export interface Framing {
  readonly contentType: string;
  /** A frame, as the encoder of the dialect has written it, as it is sent. */
  frame(frame: string): string;
  /** What closes the stream. */
  end(): string;
  /** What is sent while there is nothing to send; absent where readers would take it for a part of the answer. */
  readonly signOfLife?: string;
}

const BARE_EVENT_STREAM: Framing = {
  contentType: "text/event-stream; charset=utf-8",
  frame: (frame) => frame,
  end: () => "",
};

const EVENT_STREAM: Framing = { ...BARE_EVENT_STREAM, signOfLife: SIGN_OF_LIFE };

/** Server-sent events, which is what encoders write. */
export const asEvents = (): Framing => EVENT_STREAM;

/** The same for clients that take every line for an event, as some of Google's do: nothing is sent beside events. */
export const asBareEvents = (): Framing => BARE_EVENT_STREAM;

const DATA = "data: ";
const END = "\n\n";

/** One JSON array, sent element by element: how Gemini streams for clients that do not ask for events. */
export function asArray(): Framing {
  let before = "[";
  return {
    contentType: "application/json; charset=utf-8",
    frame(frame) {
      const element = before + frame.slice(DATA.length, -END.length);
      before = ",\r\n";
      return element;
    },
    end: () => (before === "[" ? "[]" : "]"),
  };
}

/** The headers of anything that is sent as it comes. */
export function framedHead({ contentType }: Framing): Readonly<Record<string, string>> {
  return {
    "content-type": contentType,
    "cache-control": "no-cache, no-transform",
    // Proxies such as nginx would otherwise collect a stream before they pass it on.
    "x-accel-buffering": "no",
  };
}
