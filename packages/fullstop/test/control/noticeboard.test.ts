import { describe, expect, it } from "vitest";
import { Noticeboard } from "../../src/control/index.ts";

describe("a noticeboard", () => {
  it("tells those who watch a topic, each as often as it watches", () => {
    const board = new Noticeboard<number>();
    const heard: string[] = [];
    const hear = (notice: number): void => void heard.push(`a${notice}`);
    const unwatch = board.watch("a", hear);
    board.watch("a", hear);
    board.watch("b", (notice) => heard.push(`b${notice}`));
    board.post("a", 1);
    unwatch();
    unwatch();
    board.post("a", 2);
    board.post("c", 3);
    expect(heard).toEqual(["a1", "a1", "a2"]);
    expect(board.topics()).toEqual(["a", "b"]);
  });

  it("remembers no topic that nobody watches", () => {
    const board = new Noticeboard<number>();
    const unwatches = Array.from({ length: 100 }, (_, index) => board.watch(`${index % 10}`, () => undefined));
    for (const unwatch of unwatches) unwatch();
    expect(board.topics()).toEqual([]);
  });

  it("calls nobody for a notice that was posted before they watched, or after they left", () => {
    const board = new Noticeboard<number>();
    let calls = 0;
    const again = (): void => {
      calls += 1;
      board.watch("a", again);
      unwatchOther();
    };
    board.watch("a", again);
    const unwatchOther = board.watch("a", () => (calls += 100));
    board.post("a", 1);
    expect(calls).toBe(1);
  });

  it("calls nobody any more once it is cleared", () => {
    const board = new Noticeboard<number>();
    let calls = 0;
    const count = (): void => {
      calls += 1;
      board.clear();
    };
    const unwatch = board.watch("a", count);
    board.watch("a", count);
    board.post("a", 1);
    unwatch();
    board.watch("a", () => undefined);
    unwatch();
    expect([calls, board.topics()]).toEqual([1, ["a"]]);
  });
});
