// @ts-check
import { crc32 } from "../../packages/fullstop/dist/wire/bedrock-converse/crc32.js";

const encoder = new TextEncoder();

/**
 * A frame of an AWS event stream with the given string headers.
 *
 * @param {Readonly<Record<string, string>>} headers
 * @param {string | Uint8Array} payload
 * @returns {Uint8Array}
 */
export function awsFrame(headers, payload) {
  const body = typeof payload === "string" ? encoder.encode(payload) : payload;
  const head = Object.entries(headers).flatMap(([name, value]) => {
    const [key, text] = [encoder.encode(name), encoder.encode(value)];
    return [key.length, ...key, 7, text.length >> 8, text.length & 0xff, ...text];
  });
  const frame = new Uint8Array(12 + head.length + body.length + 4);
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.length);
  view.setUint32(4, head.length);
  view.setUint32(8, crc32(frame.subarray(0, 8)));
  frame.set(head, 12);
  frame.set(body, 12 + head.length);
  view.setUint32(frame.length - 4, crc32(frame.subarray(0, -4)));
  return frame;
}
