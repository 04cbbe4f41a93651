/** Turns bytes into text as they come, keeping a character whose bytes are not all there yet. */
export interface Utf8Decoder {
  /** The characters that these bytes complete. Never half a character, never a lone surrogate. */
  push(bytes: Uint8Array): string;
  /** U+FFFD if a character was left unfinished, else nothing. The decoder can be used again afterwards. */
  end(): string;
  /** Whether bytes of an unfinished character are kept. */
  readonly isPending: boolean;
}

const REPLACEMENT = 0xfffd;

/**
 * Opens an incremental UTF-8 decoder with the error handling of the WHATWG encoding standard: malformed bytes
 * become U+FFFD, one for each maximal part of a character. `TextDecoder` in stream mode, told to keep byte order marks, gives the same text;
 * this one costs a fraction of it on the few bytes of a token, which is all it ever sees here.
 */
export function createUtf8Decoder(): Utf8Decoder {
  // The character under way: the bits so far, how many bytes are missing, and the range the next byte must be in.
  let codePoint = 0;
  let missing = 0;
  let lower = 0x80;
  let upper = 0xbf;

  function startCharacter(lead: number): void {
    lower = 0x80;
    upper = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
      missing = 1;
      codePoint = lead & 0x1f;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      missing = 2;
      codePoint = lead & 0x0f;
      // The narrower ranges exclude overlong forms and the surrogates.
      if (lead === 0xe0) lower = 0xa0;
      if (lead === 0xed) upper = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      missing = 3;
      codePoint = lead & 0x07;
      if (lead === 0xf0) lower = 0x90;
      if (lead === 0xf4) upper = 0x8f;
    }
  }

  return {
    push(bytes) {
      let text = "";
      for (let index = 0; index < bytes.length; index++) {
        const byte = bytes[index]!;
        if (missing > 0) {
          if (byte >= lower && byte <= upper) {
            lower = 0x80;
            upper = 0xbf;
            codePoint = (codePoint << 6) | (byte & 0x3f);
            missing -= 1;
            if (missing === 0) text += String.fromCodePoint(codePoint);
            continue;
          }
          // The byte does not belong to the character under way: that one is lost, and the byte is looked at anew.
          missing = 0;
          text += String.fromCharCode(REPLACEMENT);
        }
        if (byte < 0x80) text += String.fromCharCode(byte);
        else {
          startCharacter(byte);
          if (missing === 0) text += String.fromCharCode(REPLACEMENT);
        }
      }
      return text;
    },
    end() {
      if (missing === 0) return "";
      missing = 0;
      return String.fromCharCode(REPLACEMENT);
    },
    get isPending() {
      return missing > 0;
    },
  };
}
