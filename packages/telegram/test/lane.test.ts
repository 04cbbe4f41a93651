import { createMemoryStore, systemClock } from "fullstop/control";
import { createGate } from "fullstop/testing";
import { expect, test } from "vitest";
import type { Question } from "../src/answers/question.ts";
import { Turns } from "../src/answers/turns.ts";
import { Lane } from "../src/lanes/lane.ts";
import type { LaneParts } from "../src/lanes/lane.ts";
import { SILENT_LOG } from "../src/operations/log.ts";
import { ENGLISH } from "../src/words/english.ts";

const PLACE = { chat: 1, chatType: "private", user: 1, topic: undefined } as const;

function ask(text: string, messageId: number): Question {
  const message = { role: "user", content: [{ type: "text", text }] } as const;
  const task = { type: "message", message } as const;
  return { task, messageId, updateId: messageId, languageCode: undefined, words: ENGLISH };
}

/** A lane whose answers end when they are stopped or the gate is open, and what happens in it. */
function openLane(changes: Partial<LaneParts["answers"]> = {}, parts: Partial<LaneParts> = {}) {
  const happened: string[] = [];
  const gate = createGate();
  const answers: LaneParts["answers"] = {
    begin(_place, { task }) {
      happened.push(`answer ${task.type === "message" ? JSON.stringify(task.message.content) : task.type}`);
      const stopped = createGate();
      return {
        opened: Promise.resolve(),
        ended: Promise.race([gate.pass(), stopped.pass()]),
        stop(reason) {
          happened.push(`stop: ${reason}`);
          stopped.open();
          return "stopping";
        },
      };
    },
    elsewhere: () => Promise.resolve([]),
    stop: () => Promise.resolve("ended"),
    untilEnded: () => Promise.resolve(),
    ...changes,
  };
  const turns = new Turns(createMemoryStore(), 1, 10_000, systemClock);
  const settle = (): Promise<boolean> => Promise.resolve(true);
  const plain = { whenBusy: "interrupt", mergeMilliseconds: 0, log: SILENT_LOG, clock: systemClock } as const;
  const listBusy = (): Promise<readonly string[]> => Promise.resolve([]);
  const others = { ...plain, turns, waiting: waitingOf({}), listBusy, settle };
  return { happened, gate, lane: new Lane(PLACE, { answers, ...others, ...parts }) };
}

/** A list of questions of which others have changed something: what is said of each of them, in their order. */
function waitingOf(says: {
  readonly isKept?: readonly boolean[];
  readonly forget?: readonly boolean[];
  readonly withdrawnBefore?: readonly number[];
}): LaneParts["waiting"] & { readonly listed: ReadonlySet<string> } {
  let count = 0;
  let looks = 0;
  const listed = new Set<string>();
  const say = (answers: readonly boolean[] = [], name: string): Promise<boolean> =>
    Promise.resolve(answers[Number(name)] ?? true);
  return {
    listed,
    keep: async () => {
      const name = String(count++);
      listed.add(name);
      return { name, version: "1" };
    },
    isKept: ({ name }) => say(says.isKept, name),
    forget: async ({ name }) => {
      listed.delete(name);
      return say(says.forget, name);
    },
    withdrawnBefore: () => Promise.resolve(says.withdrawnBefore?.[looks++] ?? 0),
  };
}

test("what is put in between comes after the answer that it stops and before whatever is asked later", async () => {
  const { happened, gate, lane } = openLane();

  lane.ask(ask("One", 1));
  const done = lane.interject("user", 2, async () => void happened.push("errand"));
  lane.ask(ask("Two", 3));
  await done;
  expect(happened).toEqual(["errand"]);
  gate.open();
  await lane.idle();

  expect(happened).toEqual(["errand", 'answer [{"type":"text","text":"Two"}]']);
});

test("what goes wrong with it is told to whoever wanted it, and harms no question", async () => {
  const { happened, gate, lane } = openLane();

  const done = lane.interject("user", 1, () => Promise.reject(new Error("away")));
  lane.ask(ask("One", 2));
  await expect(done).rejects.toThrow("away");
  gate.open();
  await lane.idle();

  expect(happened).toHaveLength(1);
});

test("questions that have overtaken each other on their way are put in order", async () => {
  const { happened, gate, lane } = openLane();

  lane.ask(ask("Two", 2));
  lane.ask(ask("One", 1));
  gate.open();
  await lane.idle();

  expect(happened).toEqual(['answer [{"type":"text","text":"One\\nTwo"}]']);
});

test("a question after a stop waits for what is stopped in another process", async () => {
  const [looking, ending] = [createGate(), createGate()];
  let isEnded = false;
  const live = { id: "theirs", holder: "another", place: PLACE, messageId: 1, updateId: 1, draftId: undefined };
  const { happened, gate, lane } = openLane({
    elsewhere: async () => {
      await looking.pass();
      return isEnded ? [] : [live];
    },
    untilEnded: async (_id, signal) => {
      if (signal.aborted) return;
      happened.push("waits");
      await ending.pass();
      isEnded = true;
    },
  });
  gate.open();

  lane.ask(ask("One", 2));
  await looking.reached;
  lane.stop("user", 3);
  lane.ask(ask("Two", 4));
  looking.open();
  await expect.poll(() => happened).toEqual(["waits"]);
  ending.open();
  await lane.idle();

  expect(happened).toEqual(["waits", 'answer [{"type":"text","text":"Two"}]']);
});

test("a stop that comes late forgets what was asked before it, and leaves what was asked since", async () => {
  const { happened, gate, lane } = openLane({}, { whenBusy: "queue" });

  lane.ask(ask("Five", 5));
  await expect.poll(() => happened).toHaveLength(1);
  lane.ask(ask("Three", 3));
  lane.ask(ask("Six", 6));
  expect(lane.stop("user", 4)).toBe(true);
  expect(lane.stop("user", 4)).toBe(false);
  await lane.interject("user", 4, async () => void happened.push("errand"));
  gate.open();
  await lane.idle();

  expect(happened).toEqual([
    'answer [{"type":"text","text":"Five"}]',
    "errand",
    'answer [{"type":"text","text":"Six"}]',
  ]);
});

test("others have their turn while a question waits for what another process finishes", async () => {
  const turns = new Turns(createMemoryStore(), 1, 600_000, systemClock);
  const looked = createGate();
  let isSettled = false;
  const settle = async (): Promise<boolean> => {
    void looked.pass();
    return isSettled;
  };
  const { happened, gate, lane } = openLane({}, { turns, settle });
  gate.open();

  lane.ask(ask("One", 1));
  await looked.reached;
  const endTurn = await turns.take(PLACE);
  expect(happened).toEqual([]);
  isSettled = true;
  await endTurn();
  await lane.idle();

  expect(happened).toHaveLength(1);
});

test.each([
  ["a stop", (lane: Lane): void => void lane.stop("user", 2), 0],
  ["the end of the process", (lane: Lane): void => lane.close("shutdown"), 1],
] as const)("%s ends the waiting for what another process finishes", async (_name, end, answered) => {
  const looked = createGate();
  const settle = async (): Promise<boolean> => {
    void looked.pass();
    return false;
  };
  const { happened, lane } = openLane({}, { settle });

  lane.ask(ask("One", 1));
  await looked.reached;
  end(lane);
  await lane.idle();

  expect(happened.filter((each) => each.startsWith("answer"))).toHaveLength(answered);
});

test("a turn is given back also if the store fails after it was taken", async () => {
  const turns = new Turns(createMemoryStore(), 1, 600_000, systemClock);
  const { gate, lane } = openLane({}, { turns, settle: () => Promise.reject(new Error("away")) });
  gate.open();

  lane.ask(ask("One", 1));
  await lane.idle();

  await expect(turns.take(PLACE)).resolves.toBeTypeOf("function");
});

test("what waits when a lane is closed is begun and stopped at once, so that whoever asked can be told", async () => {
  const { happened, lane } = openLane({}, { whenBusy: "queue" });

  lane.ask(ask("One", 1));
  await expect.poll(() => happened).toHaveLength(1);
  lane.ask(ask("Two", 2));
  lane.close("shutdown");
  await lane.idle();

  expect(happened).toEqual([
    'answer [{"type":"text","text":"One"}]',
    "stop: shutdown",
    'answer [{"type":"text","text":"Two"}]',
    "stop: shutdown",
  ]);
});

test("what was withdrawn elsewhere while it waited is not answered", async () => {
  const { happened, gate, lane } = openLane({}, { waiting: waitingOf({ isKept: [false, true] }) });
  gate.open();

  lane.ask(ask("One", 1));
  lane.ask(ask("Two", 2));
  await lane.idle();

  expect(happened).toEqual(['answer [{"type":"text","text":"Two"}]']);
});

test.each([
  ["withdrawn elsewhere", [0, 2], "stop: user"],
  ["taken over by another process", [0, 0], "stop: owner_lost"],
])("what was %s in the moment in which its answer was begun is stopped", async (_name, withdrawnBefore, stop) => {
  const { happened, lane } = openLane({}, { waiting: waitingOf({ forget: [false], withdrawnBefore }) });

  lane.ask(ask("One", 1));
  await lane.idle();

  expect(happened).toEqual(['answer [{"type":"text","text":"One"}]', stop]);
});

test("what comes later than the stop that was meant for it is not answered, and what is asked after the stop is", async () => {
  const waiting = waitingOf({ withdrawnBefore: [5, 5] });
  const { happened, gate, lane } = openLane({}, { waiting });
  gate.open();

  lane.ask(ask("One", 4));
  lane.ask(ask("Two", 6));
  await lane.idle();

  expect(happened).toEqual(['answer [{"type":"text","text":"Two"}]']);
  expect(waiting.listed.size).toBe(0);
});

test.each([
  [6, ["stop: user"]],
  [4, []],
])("a stop of what came before %d in the moment in which the answer to 3 and 5 begins: %j", async (before, stops) => {
  const { happened, gate, lane } = openLane({}, { waiting: waitingOf({ withdrawnBefore: [0, before] }) });

  lane.ask(ask("One", 3));
  lane.ask(ask("Two", 5));
  await expect.poll(() => happened.length).toBeGreaterThan(0);
  gate.open();
  await lane.idle();

  expect(happened.slice(1)).toEqual(stops);
});

test("what is stopped while it waits is taken off the list, also if it comes there only then", async () => {
  const waiting = waitingOf({});
  const { happened, lane } = openLane({}, { waiting });

  lane.ask(ask("One", 1));
  expect(lane.stop("user", 2)).toBe(true);
  await lane.idle();

  await expect.poll(() => waiting.listed.size).toBe(0);
  expect(happened).toEqual([]);
});

test("a question that a dead process has left waits for its turn and interrupts nobody", async () => {
  const { happened, gate, lane } = openLane();

  lane.ask(ask("Two", 2));
  await expect.poll(() => happened).toHaveLength(1);
  lane.resume(ask("One", 1), { name: "1_1.1", version: "1" });
  gate.open();
  await lane.idle();

  expect(happened).toEqual(['answer [{"type":"text","text":"Two"}]', 'answer [{"type":"text","text":"One"}]']);
});

test("only so many questions wait in one place", async () => {
  const { gate, lane } = openLane({}, { whenBusy: "queue" });

  const taken = Array.from({ length: 22 }, (_, index) => lane.ask(ask("Again", index)));
  gate.open();
  await lane.idle();

  expect(taken.filter(Boolean)).toHaveLength(20);
});
