const POLYNOMIAL = 0xedb88320;

const TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** The CRC-32 of bytes, as Ethernet, ZIP and AWS event streams use it. */
export function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (let index = 0; index < bytes.length; index++) rest = TABLE[(rest ^ bytes[index]!) & 0xff]! ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}
