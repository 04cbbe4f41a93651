// @ts-check
// Not TypeScript, because fuzzing runs on a Node that reads none.

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
  view.setUint32(8, checksum(frame.subarray(0, 8)));
  frame.set(head, 12);
  frame.set(body, 12 + head.length);
  view.setUint32(frame.length - 4, checksum(frame.subarray(0, -4)));
  return frame;
}

/**
 * CRC-32 bit by bit, as its definition has it: a check on the table-driven one of the reader.
 *
 * @param {Uint8Array} bytes
 */
function checksum(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (0xedb88320 & -(rest & 1));
  }
  return ~rest >>> 0;
}
