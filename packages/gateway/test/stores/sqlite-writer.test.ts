import { cancelledSignal, truncatedSignal } from "fullstop";
import type { GenerationEvent } from "fullstop";
import fc from "fast-check";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { endInterrupted } from "../../src/stores/sqlite-recovery.ts";
import { RunningGenerations } from "../../src/stores/sqlite-running.ts";
import { prepareSchema } from "../../src/stores/sqlite-schema.ts";
import { Statements } from "../../src/stores/sqlite-statements.ts";
import { EventWriter } from "../../src/stores/sqlite-writer.ts";

/** A writer on a database in memory, which can crash: then all that is not in the database is gone. */
class Bench {
  readonly database = new Database(":memory:");
  readonly statements: Statements;
  running!: RunningGenerations;
  writer!: EventWriter;

  constructor() {
    prepareSchema(this.database, ":memory:");
    this.statements = new Statements(this.database);
    this.restart();
  }

  /** Opens what is in the database as a new process does. */
  restart(): void {
    this.running = new RunningGenerations();
    this.writer = new EventWriter(this.statements, this.running);
    this.statements.begin();
    endInterrupted(this.statements, this.writer, 1);
    this.writer.commit();
  }

  append(id: string, events: readonly GenerationEvent[]): void {
    const generation = this.running.get(id);
    if (generation !== undefined) this.writer.append(generation, events, JSON.stringify(events));
  }

  end(id: string): void {
    const generation = this.running.get(id);
    const signal = cancelledSignal();
    if (generation !== undefined) this.writer.end(generation, { type: "finish", signal }, JSON.stringify(signal), 1);
  }

  journalRows(): number {
    return this.database.prepare("SELECT row FROM journal").all().length;
  }

  /** All events, from an offset on. */
  read(id: string, from = 0): readonly GenerationEvent[] {
    const generation = this.running.get(id);
    const key = generation?.key ?? this.statements.keyOf(id);
    const events: GenerationEvent[] = [];
    if (key === undefined) return events;
    for (;;) {
      const batch = this.statements.readChunks(key, from + events.length);
      if (batch.length === 0) break;
      events.push(...batch);
    }
    const { inChunks = 0, tail = [] } = generation?.progress ?? {};
    return [...events, ...tail.slice(Math.max(0, from - inChunks))];
  }
}

type Step =
  | { readonly type: "open"; readonly id: string }
  | { readonly type: "end"; readonly id: string }
  | { readonly type: "append"; readonly id: string; readonly count: number; readonly size: number };

const id = fc.constantFrom("a", "b", "c", "d", "e");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("open" as const), id }),
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("append" as const),
      id,
      count: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.integer({ min: 100, max: 600 })),
      size: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.constant(20_000)),
    }),
  },
  fc.record({ type: fc.constant("end" as const), id }),
);
const transaction = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  outcome: fc.oneof(
    { weight: 8, arbitrary: fc.constant("commit" as const) },
    fc.constantFrom("rollback" as const, "crash" as const, "commit and crash" as const),
  ),
});

describe("writing generations down", () => {
  it("keeps exactly what was committed, through whatever fails and crashes", () => {
    fc.assert(
      fc.property(fc.array(transaction, { minLength: 1, maxLength: 30 }), (transactions) => {
        const bench = new Bench();
        let model = new Map<string, readonly GenerationEvent[]>();
        for (const { steps, outcome } of transactions) {
          const next = new Map(model);
          bench.statements.begin();
          for (const each of steps) perform(bench, next, each);
          if (outcome === "commit" || outcome === "commit and crash") {
            bench.writer.commit();
            model = next;
          } else if (outcome === "rollback") {
            bench.writer.rollback();
          } else {
            bench.statements.rollback();
          }
          if (outcome.endsWith("crash")) {
            bench.restart();
            model = new Map([...model].map(([name, events]) => [name, isOver(events) ? events : truncate(events)]));
          }
          for (const [name, events] of model) {
            expect(bench.read(name)).toEqual(events);
            const from = Math.floor(events.length / 2);
            expect(bench.read(name, from)).toEqual(events.slice(from));
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("has a journal that does not grow with what is quiet or busy in it", () => {
    const bench = new Bench();
    bench.statements.begin();
    for (const name of ["quiet", "busy"]) {
      bench.writer.open({ id: name, owner: "alice", model: "pip", startedAt: 1, holder: "one" });
    }
    bench.append("quiet", [{ type: "text", text: "first" }]);
    bench.writer.commit();
    for (let index = 0; index < 5_000; index += 1) {
      bench.statements.begin();
      bench.append("busy", [{ type: "text", text: String(index) }]);
      bench.writer.commit();
    }
    expect(bench.journalRows()).toBeLessThan(300);
    bench.restart();
    expect(bench.journalRows()).toBe(0);
    expect(bench.read("quiet")).toEqual(truncate([{ type: "text", text: "first" }]));
    expect(bench.read("busy").length).toBe(5_001);
  });
});

function perform(bench: Bench, model: Map<string, readonly GenerationEvent[]>, each: Step): void {
  const events = model.get(each.id);
  if (each.type === "open") {
    bench.writer.open({ id: each.id, owner: "alice", model: "pip", startedAt: 1, holder: "one" });
    if (events === undefined) model.set(each.id, []);
  } else if (each.type === "end") {
    bench.end(each.id);
    if (events !== undefined && !isOver(events)) {
      model.set(each.id, [...events, { type: "finish", signal: cancelledSignal() }]);
    }
  } else {
    const first = events?.length ?? 0;
    const more = Array.from({ length: each.count }, (_, index) => ({
      type: "text" as const,
      text: `${each.id} ${first + index} ${"x".repeat(index === 0 ? each.size : 1)}`,
    }));
    bench.append(each.id, more);
    if (events !== undefined && !isOver(events)) model.set(each.id, [...events, ...more]);
  }
}

function isOver(events: readonly GenerationEvent[]): boolean {
  return events.at(-1)?.type === "finish";
}

function truncate(events: readonly GenerationEvent[]): readonly GenerationEvent[] {
  return [...events, { type: "finish", signal: truncatedSignal() }];
}
