import { isUtf8 } from "node:buffer";
import { messageOf } from "../message-of.ts";
import { parseJson } from "../parse-json.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";

/** Reads the body of a request, which has to be JSON whatever a client calls it; undefined where there is none. */
export function readBody(bytes: Buffer, encoding: string | undefined): unknown {
  checkEncoding(encoding);
  checkCharacters(bytes);
  if (bytes.length === 0) return undefined;
  try {
    return parseJson(bytes.toString());
  } catch (error) {
    throw new RequestError("invalid_request", `The body is not JSON: ${messageOf(error)}`);
  }
}

/** Refuses a body that is packed: how large it is would be known only when it is unpacked. */
function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === "identity") return;
  const found = quoteValue(encoding);
  throw new RequestError("invalid_request", `Bodies are taken as they are, not with content-encoding ${found}`, {
    status: 415,
  });
}

/**
 * Refuses bytes that are no UTF-8, such as those of a shell of Windows. Each would be replaced by a mark: the model would
 * be asked something else, and a stop string with an umlaut would never be found.
 */
function checkCharacters(bytes: Buffer): void {
  if (isUtf8(bytes)) return;
  throw new RequestError("invalid_request", "The body is not UTF-8, which is what JSON is written in");
}
