import type { ApiResponse } from "grammy/types";
import type { Faults } from "./faults.ts";
import type { FloodControl } from "./flood.ts";
import type { House } from "./house.ts";
import { CHAT_METHODS } from "./methods-chats.ts";
import { MESSAGE_METHODS } from "./methods-messages.ts";
import { UPDATE_METHODS } from "./methods-updates.ts";
import type { MethodName, MethodTable } from "./methods.ts";
import { Parameters } from "./parameters.ts";
import type { RawParameters } from "./parameters.ts";
import { Refusal } from "./refusal.ts";

/** A call as it came in, and what became of it. */
export interface Call {
  readonly method: MethodName;
  readonly parameters: RawParameters;
  /** When it came, in milliseconds of the server's clock. */
  readonly at: number;
  /** What was answered; nothing while the call is under way, and "dropped" if the connection was broken instead. */
  readonly answer: ApiResponse<unknown> | "dropped" | undefined;
}

const METHODS: MethodTable = { ...CHAT_METHODS, ...MESSAGE_METHODS, ...UPDATE_METHODS };
const NAMES = new Map(Object.keys(METHODS).map((name) => [name.toLowerCase(), name as MethodName]));

/** The method that is meant; Telegram takes no notice of the case of its letters. */
export function methodNamed(name: string): MethodName | undefined {
  return NAMES.get(name.toLowerCase());
}

/** Carries calls out, one after the other as they come, unless a fault or the flood control is in the way. */
export class Dispatcher {
  readonly calls: Call[] = [];
  readonly #house: House;
  readonly #faults: Faults;
  readonly #flood: FloodControl;

  constructor(house: House, faults: Faults, flood: FloodControl) {
    this.#house = house;
    this.#faults = faults;
    this.#flood = flood;
  }

  async call(method: MethodName, raw: RawParameters, gone: AbortSignal): Promise<ApiResponse<unknown> | "dropped"> {
    const { world } = this.#house;
    const call: { -readonly [K in keyof Call]: Call[K] } = {
      method,
      parameters: raw,
      at: world.now(),
      answer: undefined,
    };
    this.calls.push(call);
    world.changed();
    call.answer = await this.#answer(method, raw, gone);
    world.changed();
    return call.answer;
  }

  async #answer(method: MethodName, raw: RawParameters, gone: AbortSignal): Promise<ApiResponse<unknown> | "dropped"> {
    try {
      const chatId = raw["chat_id"] === undefined ? undefined : Number(raw["chat_id"]);
      const drop = await this.#faults.strike(method, chatId);
      if (drop === "before") return "dropped";
      const definition = METHODS[method];
      const parameters = new Parameters(method, raw, definition.parameters);
      const chat = this.#house.world.chats.get(chatId ?? 0);
      if (chat !== undefined) this.#flood.admit(method, chat);
      const result = await definition.run(parameters, this.#house, gone);
      if (chat !== undefined) this.#flood.count(method, chat);
      return drop === "after" ? "dropped" : { ok: true, result };
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }
}
