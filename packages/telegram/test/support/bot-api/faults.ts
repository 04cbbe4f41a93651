import type { ResponseParameters } from "grammy/types";
import type { MethodName } from "./methods.ts";
import { Refusal } from "./refusal.ts";

/** Which calls something happens to. */
export interface FaultScope {
  /** How many calls; 1 if nothing is said. */
  readonly times?: number;
  /** Only calls about this chat. */
  readonly chat?: { readonly id: number };
}

/** An error as the server writes it. */
export interface ScriptedError {
  readonly code: number;
  readonly description: string;
  readonly parameters?: ResponseParameters;
}

/** Something to wait for: a promise, or the gate of `fullstop/testing`. */
export type Holdup = Promise<unknown> | { pass(): Promise<unknown> };

/** Something that was said to happen to calls. */
export interface Fault {
  /** How many calls it has happened to. */
  readonly used: number;
  /** Lets further calls alone. */
  cancel(): void;
}

type Effect =
  | { readonly kind: "refuse"; readonly error: ScriptedError }
  | { readonly kind: "delay"; readonly by: Holdup }
  | { readonly kind: "drop"; readonly when: "before" | "after" };

interface Script {
  readonly method: MethodName;
  readonly chatId: number | undefined;
  readonly effect: Effect;
  left: number;
  used: number;
}

/** What goes wrong because a test says so. */
export class Faults {
  readonly #scripts: Script[] = [];

  add(method: MethodName, effect: Effect, { times = 1, chat }: FaultScope): Fault {
    const script: Script = { method, chatId: chat?.id, effect, left: times, used: 0 };
    this.#scripts.push(script);
    return {
      get used() {
        return script.used;
      },
      cancel: () => (script.left = 0),
    };
  }

  /** Lets a call suffer what is said of it; tells whether its connection is to break, and when. */
  async strike(method: MethodName, chatId: number | undefined): Promise<"none" | "before" | "after"> {
    const scripts = this.#scripts.filter(
      (script) =>
        script.method === method && script.left > 0 && (script.chatId === undefined || script.chatId === chatId),
    );
    for (const script of scripts) {
      script.left -= 1;
      script.used += 1;
      const { effect } = script;
      if (effect.kind === "drop") return effect.when;
      if (effect.kind === "delay") await (effect.by instanceof Promise ? effect.by : effect.by.pass());
      else throw new Refusal(effect.error.code, effect.error.description, effect.error.parameters);
    }
    return "none";
  }
}
