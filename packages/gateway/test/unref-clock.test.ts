import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { unrefClock } from "../src/unref-clock.ts";

describe("the clock of the gateway", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("does not take a wait for over that is longer than timers can count", () => {
    const wake = vi.fn<() => void>();
    unrefClock.after(30 * 24 * 60 * 60 * 1000, wake);
    vi.advanceTimersByTime(60_000);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2 ** 31);
    expect(wake).toHaveBeenCalledOnce();
  });
});
