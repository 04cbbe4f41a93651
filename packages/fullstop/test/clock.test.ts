import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.ts";
import { unrefClock } from "../src/llama/unref-clock.ts";

describe.each([
  { name: "the clock of the machine", clock: systemClock },
  { name: "the clock that keeps no process from ending", clock: unrefClock },
])("$name", ({ clock }) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("does not take a wait for over that is longer than timers can count", () => {
    const wake = vi.fn<() => void>();
    clock.after(30 * 24 * 60 * 60 * 1000, wake);
    vi.advanceTimersByTime(60_000);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2 ** 31);
    expect(wake).toHaveBeenCalledOnce();
  });
});
