import type { FastifyRequest } from "fastify";
import { askStore } from "../generations/ask-store.ts";
import { findOwn } from "../generations/find-own.ts";
import { isStored } from "../generations/record-labels.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { House } from "./answer.ts";
import { describeResponse } from "./background.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

/** The id of an item of an answer that was given here, in which that of the answer stands. */
const OWN_ITEM = /^(?:msg|rs|rs_redacted|fc|ctc)_(?<answerId>(?:resp_|chatcmpl-|msg_|gen_)[0-9a-f]{32})_\d+$/u;

/**
 * Puts items of earlier answers into a request for a response where it only refers to them, as the AI SDK does unless
 * it is told not to: nobody else knows them, because their ids were made here. References to what a provider keeps stay.
 */
export async function withReferredItems(house: House, request: FastifyRequest, body: unknown): Promise<unknown> {
  if (!isRecord(body) || !Array.isArray(body["input"])) return body;
  const given: readonly unknown[] = body["input"];
  if (!given.some((item) => referenceIn(item) !== undefined)) return body;
  const answers = new GivenAnswers(house, request);
  const input: unknown[] = [];
  for (const [index, item] of given.entries()) {
    const reference = referenceIn(item);
    input.push(reference === undefined ? item : await answers.take(reference, `input[${index}]`));
  }
  return { ...body, input };
}

/** What an item refers to. */
interface Reference {
  readonly id: string;
  readonly answerId: string;
}

function referenceIn(item: unknown): Reference | undefined {
  // Of a reference the type may be left out.
  if (!isRecord(item) || (item["type"] ?? "item_reference") !== "item_reference") return undefined;
  const { id } = item;
  const answerId = typeof id === "string" ? OWN_ITEM.exec(id)?.groups?.["answerId"] : undefined;
  return typeof id === "string" && answerId !== undefined ? { id, answerId } : undefined;
}

/** The answers that one request refers to. Of each item there is one: a conversation has none of them twice. */
class GivenAnswers {
  readonly #house: House;
  readonly #request: FastifyRequest;
  readonly #known = new Set<string>();
  readonly #items = new Map<unknown, JsonRecord>();
  /** How much may still be read: what is referred to must not be larger than what can be sent. */
  #room: number;

  constructor(house: House, request: FastifyRequest) {
    this.#house = house;
    this.#request = request;
    this.#room = house.maxBodyBytes;
  }

  async take({ id, answerId }: Reference, path: string): Promise<JsonRecord> {
    if (!this.#known.has(answerId)) await this.#read(answerId);
    const item = this.#items.get(id);
    if (item === undefined) {
      const advice = "send the item itself, as clients do with store: false";
      const what = `${path} refers to an item that is not here, or to one twice, ${quoteValue(id)}`;
      throw new RequestError("not_found", `${what}; ${advice}`, { param: path });
    }
    this.#items.delete(id);
    return item;
  }

  async #read(answerId: string): Promise<void> {
    this.#known.add(answerId);
    const { operations, maxBodyBytes } = this.#house;
    const generation = await findOwn(this.#house, this.#request, answerId);
    if (generation === undefined || !isStored(generation.labels)) return;
    const { output } = await askStore(operations, describeResponse(generation));
    this.#room -= JSON.stringify(output).length;
    if (this.#room < 0) {
      const limit = `${maxBodyBytes} bytes (limits.maxBodyBytes)`;
      const what = `The answers that the request refers to are larger than ${limit}`;
      throw new RequestError("invalid_request", what, { status: 413, param: "input" });
    }
    for (const item of Array.isArray(output) ? output.filter(isRecord) : []) this.#items.set(item["id"], item);
  }
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
