import { afterEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine.ts";
import type { GenerationEvent, GenerationRequest } from "../../src/index.ts";
import { createGate, finish, start, text } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { finishOf, textOf } from "./events.ts";

/** An engine, and how to put away what it needs. */
export interface OpenEngine {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** A request for a model of some name, which is all that a script goes by. */
export function ask(model = "some-model", others: Partial<GenerationRequest> = {}): GenerationRequest {
  return { model, messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }], ...others };
}

/** Reads all that an engine has to say. */
export async function readAll(
  engine: Engine,
  request: GenerationRequest = ask(),
  signal: AbortSignal = new AbortController().signal,
): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for await (const event of engine.generate(request, signal)) events.push(event);
  const finishes = events.filter(({ type }) => type === "finish");
  expect(finishes).toEqual(events.slice(-1));
  return events;
}

/** Holds an engine to what every engine promises. `open` makes one that answers by a function of the request. */
export function describeEngine(
  name: string,
  open: (script: (request: GenerationRequest) => readonly ScriptStep[]) => Promise<OpenEngine>,
): void {
  describe(`${name}, as an engine`, () => {
    const opened: OpenEngine[] = [];
    const use = async (script: (request: GenerationRequest) => readonly ScriptStep[]): Promise<Engine> => {
      const made = await open(script);
      opened.push(made);
      return made.engine;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((made) => made.close()));
    });

    it("says what is generated and ends with one finish", async () => {
      const engine = await use(() => [start(), text("Hello, "), text("wörld"), finish()]);
      const events = await readAll(engine);
      // Not every dialect has ids.
      expect([start(), start("")]).toContainEqual(events[0]);
      expect(textOf(events)).toBe("Hello, wörld");
      expect(finishOf(events).reason).toBe("natural_completion");
    });

    it("ends with an error, and does not throw, when it breaks in the middle", async () => {
      const gate = createGate();
      const fail = async (): Promise<void> => {
        await gate.pass();
        throw new Error("broken");
      };
      const engine = await use(() => [start(), text("Hel"), fail]);
      const events: GenerationEvent[] = [];
      for await (const event of engine.generate(ask(), new AbortController().signal)) {
        events.push(event);
        if (event.type === "text") gate.open();
      }
      expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
      expect(textOf(events)).toBe("Hel");
      expect(finishOf(events).reason).toBe("error_termination");
    });

    it("calls an answer without an end truncated", async () => {
      const engine = await use(() => [start(), text("Hel")]);
      const events = await readAll(engine);
      expect(textOf(events)).toBe("Hel");
      expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "truncated" });
    });

    it("generates nothing for a signal that was aborted before", async () => {
      const engine = await use(() => [start(), text("Hello"), finish()]);
      const events = await readAll(engine, ask(), AbortSignal.abort("operator"));
      expect(events).toHaveLength(1);
      expect(finishOf(events)).toMatchObject({ reason: "cancelled", detail: "operator" });
    });

    it("is cancelled before the first event", async () => {
      const gate = createGate();
      const controller = new AbortController();
      const engine = await use(() => [gate.pass, start(), text("Hello"), finish()]);
      const reading = readAll(engine, ask(), controller.signal);
      await gate.reached;
      controller.abort();
      expect(await reading).toHaveLength(1);
      expect(finishOf(await reading)).toMatchObject({ reason: "cancelled", detail: "user" });
      gate.open();
    });

    it("is cancelled in the middle of a silence and keeps what was said", async () => {
      const gate = createGate();
      const controller = new AbortController();
      const engine = await use(() => [start(), text("Hel"), gate.pass, text("lo"), finish()]);
      const events: GenerationEvent[] = [];
      for await (const event of engine.generate(ask(), controller.signal)) {
        events.push(event);
        if (event.type === "text") void gate.reached.then(() => controller.abort("new_message"));
      }
      expect(textOf(events)).toBe("Hel");
      expect(finishOf(events)).toMatchObject({ reason: "cancelled", detail: "new_message" });
      gate.open();
    });

    it("lets its reader leave in the middle of a silence", async () => {
      const gate = createGate();
      const engine = await use(() => [start(), text("Hel"), gate.pass, text("lo"), finish()]);
      const events = engine.generate(ask(), new AbortController().signal)[Symbol.asyncIterator]();
      for (let step = await events.next(); step.done !== true && step.value.type !== "text";) {
        step = await events.next();
      }
      const waiting = events.next();
      await gate.reached;
      await events.return?.();
      const last = await waiting;
      expect(last.done === true || last.value.type === "finish").toBe(true);
      gate.open();
    });

    it("is not cancelled after its finish", async () => {
      const controller = new AbortController();
      const engine = await use(() => [start(), text("Hello"), finish()]);
      const events = await readAll(engine, ask(), controller.signal);
      controller.abort();
      expect(finishOf(events).reason).toBe("natural_completion");
      expect(finishOf(await readAll(engine)).reason).toBe("natural_completion");
    });

    it("serves one generation after the other, also when a reader has left", async () => {
      const gate = createGate();
      const engine = await use(({ model }) => [
        start(),
        text(model),
        ...(model === "left" ? [gate.pass] : []),
        finish(),
      ]);
      for await (const event of engine.generate(ask("left"), new AbortController().signal)) {
        if (event.type === "text") break;
      }
      expect(textOf(await readAll(engine, ask("first")))).toBe("first");
      expect(textOf(await readAll(engine, ask("second")))).toBe("second");
      gate.open();
    });

    it("serves several generations at once, and cancels only the one that is meant", async () => {
      const gates = { slow: createGate(), cancelled: createGate() };
      const isGated = (model: string): model is keyof typeof gates => model in gates;
      const engine = await use(({ model }) => [
        start(),
        text(`${model} begins`),
        ...(isGated(model) ? [gates[model].pass] : []),
        text(`, ${model} ends`),
        finish(),
      ]);
      const controller = new AbortController();
      const slow = readAll(engine, ask("slow"));
      const cancelled = readAll(engine, ask("cancelled"), controller.signal);
      await Promise.all([gates.slow.reached, gates.cancelled.reached]);
      expect(textOf(await readAll(engine, ask("quick")))).toBe("quick begins, quick ends");
      controller.abort();
      expect(finishOf(await cancelled).reason).toBe("cancelled");
      gates.slow.open();
      expect(textOf(await slow)).toBe("slow begins, slow ends");
      expect(finishOf(await slow).reason).toBe("natural_completion");
      gates.cancelled.open();
    });
  });
}
