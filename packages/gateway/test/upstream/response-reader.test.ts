import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MalformedResponse } from "../../src/upstream/malformed-response.ts";
import { ResponseReader } from "../../src/upstream/response-reader.ts";

/** What was read of an answer. */
interface Read {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body: string;
  /** For how long its connection may be kept, once it is whole. */
  kept?: number;
}

/** Reads pieces and, if there are no more, their end. */
function read(pieces: readonly Buffer[], isClosed = false): Read {
  const result: Read = { body: "" };
  const reader = new ResponseReader({
    head: ({ status, headers }) => Object.assign(result, { status, headers: Object.fromEntries(headers) }),
    bytes: (bytes, start, end) => (result.body += bytes.toString("latin1", start, end)),
    end: (kept) => (result.kept = kept),
  });
  // Reads share one buffer, and what stands behind their end is left from others.
  const shared = Buffer.alloc(70_000, "?");
  for (const piece of pieces) {
    piece.copy(shared);
    reader.push(shared, piece.length);
  }
  if (isClosed) reader.close();
  return result;
}

const readText = (text: string, isClosed = false): Read => read([Buffer.from(text, "latin1")], isClosed);

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const FOREVER = Infinity;

describe("an answer in HTTP", () => {
  it.each([
    { name: "of a known length", text: `${OK}Content-Length: 5\r\n\r\nhello`, body: "hello", kept: FOREVER },
    { name: "of no length", text: `${OK}content-length: 0\r\n\r\n`, body: "", kept: FOREVER },
    { name: "that says its length twice", text: `${OK}content-length: 2, 2\r\n\r\nok`, body: "ok", kept: FOREVER },
    {
      name: "in chunks",
      text: `${CHUNKED}5\r\nhello\r\nA;name=x\r\n, \xe4 world.\r\n0\r\n\r\n`,
      body: "hello, \xe4 world.",
    },
    {
      name: "in chunks of large sizes",
      text: `${CHUNKED}0010 \r\n${"x".repeat(16)}\r\n000\r\n\r\n`,
      body: "x".repeat(16),
    },
    { name: "with something behind its chunks", text: `${CHUNKED}1\r\na\r\n0\r\nx-sum: 1\r\ny: 2\r\n\r\n`, body: "a" },
    { name: "whose coding has capitals", text: `${OK}Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n`, body: "" },
    { name: "without a body", text: "HTTP/1.1 204 No Content\r\ncontent-length: 7\r\n\r\n", status: 204, body: "" },
    { name: "that nothing has changed", text: "HTTP/1.1 304 \r\n\r\n", status: 304, body: "" },
    {
      name: "without words for its status",
      text: "HTTP/1.1 404\r\ncontent-length: 1\r\n\r\n!",
      status: 404,
      body: "!",
    },
    {
      name: "behind a hint",
      text: `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}content-length: 1\r\n\r\na`,
      body: "a",
    },
    {
      name: "behind a hundred words that it is to come",
      text: `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(100)}${OK}content-length: 1\r\n\r\na`,
      body: "a",
    },
    { name: "behind a word to go on", text: `HTTP/1.1 100 Continue\r\n\r\n${CHUNKED}1\r\na\r\n0\r\n\r\n`, body: "a" },
    {
      name: "that closes its connection",
      text: `${OK}connection: x, Close\r\ncontent-length: 1\r\n\r\na`,
      body: "a",
      kept: 0,
    },
    { name: "of an older server", text: "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na", body: "a", kept: 0 },
    {
      name: "that is kept for a while",
      text: `${OK}keep-alive: timeout=5, max=9\r\ncontent-length: 0\r\n\r\n`,
      body: "",
      kept: 4000,
    },
    { name: "that is hardly kept", text: `${OK}keep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n`, body: "", kept: 0 },
    { name: "that more comes behind", text: `${OK}content-length: 1\r\n\r\nabc`, body: "a", kept: 0 },
  ])("is read $name", ({ text, status = 200, body, kept = FOREVER }) => {
    expect(readText(text)).toMatchObject({ status, body, kept });
  });

  it("ends with its connection where it says nothing else", () => {
    expect(readText(`${OK}\r\nall of it`)).toEqual({ status: 200, headers: {}, body: "all of it" });
    expect(readText(`${OK}\r\nall of it`, true)).toEqual({ status: 200, headers: {}, body: "all of it", kept: 0 });
  });

  it.each([`${OK}content-length: 5\r\n\r\nhell`, `${CHUNKED}4\r\nhell`, `${CHUNKED}4\r\nhell\r\n0\r\n`, OK, ""])(
    "is not whole where its connection ends before it: %j",
    (text) => {
      expect(readText(text, true)).not.toHaveProperty("kept");
    },
  );

  it("has its headers by their names in small letters, all values of each", () => {
    const head = "X-Many: a\r\nx-many:\t b \r\nEmpty:\r\nBlank: \t \r\nX-Name: J\xf6rg: x\r\nX-Place: l\xc3\xa0";
    expect(readText(`${OK}${head}\r\n\r\n`).headers).toEqual({
      "x-many": "a, b",
      empty: "",
      blank: "",
      "x-name": "J\xf6rg: x",
      // Two bytes of UTF-8, of which the second alone would be a space.
      "x-place": "l\xc3\xa0",
    });
  });

  it.each([
    { text: "SSH-2.0-OpenSSH_9.2\r\n", says: 'does not speak HTTP/1: it says "SSH-2.0' },
    { text: "\0\u0001", says: "does not speak HTTP/1" },
    { text: "HTTP/2 200 OK\r\n\r\n", says: "does not speak HTTP/1" },
    { text: "HTTP/1.2 200 OK\r\n\r\n", says: 'does not begin as one of HTTP/1: "HTTP/1.2 200 OK"' },
    { text: "HTTP/1.1 20 OK\r\n\r\n", says: "does not begin as one of HTTP/1" },
    { text: "HTTP/1.1 2000\r\n\r\n", says: "does not begin as one of HTTP/1" },
    { text: "HTTP/1.1 101 Switching\r\n\r\n", says: "wants to speak something else" },
    { text: "HTTP/1.1 102 Processing\r\n\r\n".repeat(101), says: "more than 100 times that its answer is to come" },
    { text: `${OK}a b: c\r\n\r\n`, says: 'has a header that cannot be read: "a b: c"' },
    { text: `${OK}a : c\r\n\r\n`, says: "has a header that cannot be read" },
    { text: `${OK}: c\r\n\r\n`, says: "has a header that cannot be read" },
    { text: `${OK}abc\r\n\r\n`, says: "has a header that cannot be read" },
    { text: `${OK}a: b\r\n c\r\n\r\n`, says: "has a header that cannot be read" },
    { text: `${OK}a: b\nc: d\r\n\r\n`, says: "has a header that cannot be read" },
    { text: `${OK}a: b\0\r\n\r\n`, says: "has a header that cannot be read" },
    { text: `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, says: "has two lengths" },
    { text: `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\n`, says: 'has a length that cannot be read: "1, 2"' },
    { text: `${OK}a: b\nc`, says: "a line feed where none can be" },
    { text: "HTTP/1.1 200 OK\ncontent-length: 2\n\nok", says: "a line feed where none can be" },
    ...["-1", "+1", "1e3", "0x10", "", "9".repeat(16), "1 1", "\xa01", "1, \xa01"].map((length) => ({
      text: `${OK}content-length: ${length}\r\n\r\n`,
      says: "has a length that cannot be read",
    })),
    ...["gzip, chunked", "identity", "chunked, chunked", "", "chunked\xa0"].map((coding) => ({
      text: `${OK}transfer-encoding: ${coding}\r\n\r\n`,
      says: "comes in a way that was not asked for",
    })),
    { text: "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", says: "comes in a way that was not asked for" },
    ...["\r\n", "g\r\n", "-1\r\n", " 1\r\n", ";\r\n", "1\n", `${"0".repeat(13)}\r\n`, "1\ra", "1 1\r\n", "1 a"].map(
      (size) => ({
        text: CHUNKED + size,
        says: /size cannot be read|does not end where it says/u,
      }),
    ),
    { text: `${CHUNKED}1\r\nab`, says: "does not end where it says" },
    { text: `${CHUNKED}1\r\na\r2`, says: "does not end where it says" },
    { text: `${CHUNKED}1;a\nb\r\n`, says: "a line feed where none can be" },
    { text: `${CHUNKED}0\r\na: b\n\r\n`, says: "a line feed where none can be" },
    { text: `${CHUNKED}0\r\na: b\r\n\rx`, says: "does not end where it says" },
    { text: `${CHUNKED}1;${"a".repeat(17_000)}`, says: "too much beside its chunks" },
    { text: `${CHUNKED}1${" ".repeat(17_000)}`, says: "too much beside its chunks" },
    { text: `${CHUNKED}0\r\n${"a: b\r\n".repeat(4_000)}`, says: "too much beside its chunks" },
    { text: `${OK}${"a: b\r\n".repeat(11_000)}`, says: "head of the answer is larger than 65536 bytes" },
  ])("is refused where it can be read in two ways, or in none: $text", ({ text, says }) => {
    const readAll = (): Read => read(text.match(/[^]{1,60000}/gu)?.map((piece) => Buffer.from(piece, "latin1")) ?? []);
    expect(readAll).toThrow(MalformedResponse);
    expect(readAll).toThrow(says);
  });

  it("is told by its head as soon as that is there, and by its body as it comes", () => {
    const told: string[] = [];
    const reader = new ResponseReader({
      head: ({ status }) => told.push(String(status)),
      bytes: (bytes, start, end) => told.push(bytes.toString("latin1", start, end)),
      end: () => told.push("end"),
    });
    const tell = (text: string): readonly string[] => {
      told.length = 0;
      reader.push(Buffer.from(text));
      return [...told];
    };
    expect(tell(CHUNKED.slice(0, -1))).toEqual([]);
    expect(tell(CHUNKED.slice(-1))).toEqual(["200"]);
    expect(tell("5\r\nhe")).toEqual(["he"]);
    expect(tell("llo\r\n1\r\n!")).toEqual(["llo", "!"]);
    expect(tell("\r\n0\r\n\r")).toEqual([]);
    expect(tell("\n")).toEqual(["end"]);
  });

  const body = fc.array(fc.string({ minLength: 1, maxLength: 30 }).map((text) => Buffer.from(text).toString("latin1")));
  const answers = fc.record({
    pieces: body,
    framing: fc.constantFrom("length", "chunks", "close"),
    hints: fc.nat(2),
    trailer: fc.boolean(),
  });

  it("is the same however it is cut", () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(400)), ({ pieces, framing, hints, trailer }, cuts) => {
        const text = pieces.join("");
        const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
        const all = {
          length: `${OK}content-length: ${text.length}\r\n\r\n${text}`,
          chunks: `${CHUNKED}${chunks}0\r\n${trailer ? "a: b\r\n" : ""}\r\n`,
          close: `${OK}\r\n${text}`,
        }[framing];
        const bytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n".repeat(hints) + all, "latin1");
        const places = [0, ...cuts.filter((cut) => cut <= bytes.length).toSorted((a, b) => a - b), bytes.length];
        const cut = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        const whole = read([bytes], true);
        expect(whole.body).toBe(text);
        expect(whole.kept).toBe(framing === "close" ? 0 : Infinity);
        expect(read(cut, true)).toEqual(whole);
      }),
    );
  });

  it("is refused, read or unfinished, whatever comes, and never anything else", () => {
    const bits = fc.constantFrom(
      OK,
      CHUNKED,
      "\r\n",
      "content-length: 3",
      "0\r\n",
      "1\r\na",
      ": ",
      "\n",
      "HTTP/1.",
      "abc",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(bits, fc.string({ maxLength: 5 }))), (pieces) => {
        try {
          readText(pieces.join(""), true);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedResponse);
        }
      }),
    );
  });
});
