import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Limiter } from "../../src/access/limiter.ts";
import type { Place } from "../../src/access/limiter.ts";
import type { Limits } from "../../src/access/limits.ts";
import { RequestError } from "../../src/request-error.ts";

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 1, 28, 12);
const HOUR = 60 * MINUTE;

/** A limiter whose clock stands still until a test moves it. */
function open(limits: Limits, concurrent = Infinity) {
  const clock = { now: NOON };
  const limiter = new Limiter({ concurrent, now: () => clock.now });
  const enter = (name = "alice"): Place => limiter.enter({ name, limits });
  const refusal = (name?: string): RequestError => {
    try {
      enter(name);
    } catch (error) {
      if (error instanceof RequestError) return error;
      throw error;
    }
    throw new Error("it was let in");
  };
  return { clock, enter, refusal };
}

const NOTHING = { tokens: 0, cost: 0 };

describe("a limit of requests a minute", () => {
  it("holds for any minute, and says when there is room again", () => {
    const { clock, enter, refusal } = open({ requestsPerMinute: 2 });
    enter().leave(NOTHING);
    clock.now += 50_000;
    enter().leave(NOTHING);
    clock.now += 5000;
    const { kind, message, details } = refusal();
    expect(kind).toBe("rate_limited");
    expect(message).toMatch(/limit of 2 requests a minute \(requestsPerMinute\).*at 2026-02-28T12:01:00\.000Z$/u);
    expect(details).toEqual({ retryAfterMilliseconds: 5000 });
    clock.now += 4999;
    expect(refusal().details).toEqual({ retryAfterMilliseconds: 1 });
    clock.now += 1;
    enter();
    expect(refusal().details).toEqual({ retryAfterMilliseconds: 50_000 });
  });

  it("lets in all that it may and no more, whenever they come", () => {
    const waits = fc.array(fc.integer({ min: 0, max: MINUTE }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), waits, (most, all) => {
        const { clock, enter, refusal } = open({ requestsPerMinute: most });
        const entered: number[] = [];
        for (const wait of all) {
          clock.now += wait;
          const recent = entered.filter((time) => time > clock.now - MINUTE);
          if (recent.length < most) {
            enter().leave(NOTHING);
            entered.push(clock.now);
          } else {
            expect(refusal().details).toEqual({ retryAfterMilliseconds: recent[0]! + MINUTE - clock.now });
          }
        }
      }),
    );
  });

  it("does not count those that were refused for another reason", () => {
    const { enter, refusal } = open({ requestsPerMinute: 2, concurrent: 1 });
    const place = enter();
    for (let count = 0; count < 5; count += 1) expect(refusal().message).toContain("concurrent");
    place.leave(NOTHING);
    enter().leave(NOTHING);
    expect(refusal().message).toContain("requestsPerMinute");
  });
});

describe("a limit of generations at once", () => {
  it("holds until one has ended", () => {
    const { enter, refusal } = open({ concurrent: 2 });
    const first = enter();
    enter();
    expect(refusal()).toMatchObject({
      kind: "rate_limited",
      message:
        "The limit of 2 generations at once (concurrent) is reached; there is room again when one of them has ended",
      details: { retryAfterMilliseconds: 1000 },
    });
    first.leave(NOTHING);
    enter();
    expect(refusal().kind).toBe("rate_limited");
  });

  it("is everybody's own", () => {
    const { enter, refusal } = open({ concurrent: 1 });
    enter("alice");
    enter("bob");
    expect(refusal("alice").message).toContain("limit of 1 ");
  });
});

describe("a budget a day", () => {
  it.each([
    { limits: { tokensPerDay: 100 }, spent: { tokens: 50, cost: 0 }, message: /^The budget of 100 tokens a day/u },
    { limits: { costPerDay: 2.5 }, spent: { tokens: 0, cost: 1.25 }, message: /^The budget of money, 2\.5 a day/u },
  ])("$limits is used up when all of it is spent, until midnight in Greenwich", ({ limits, spent, message }) => {
    const { clock, enter, refusal } = open(limits);
    enter().leave(spent);
    enter().leave(spent);
    const error = refusal();
    expect(error.kind).toBe("rate_limited");
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/ at 2026-03-01T00:00:00\.000Z$/u);
    expect(error.details).toEqual({ retryAfterMilliseconds: 12 * HOUR });
    clock.now += 12 * HOUR - 1;
    expect(refusal().details).toEqual({ retryAfterMilliseconds: 1 });
    clock.now += 1;
    enter().leave(spent);
    enter();
  });

  it("is charged on the day on which a generation ends", () => {
    const { clock, enter, refusal } = open({ tokensPerDay: 100 });
    const place = enter();
    clock.now += 13 * HOUR;
    place.leave({ tokens: 100, cost: 0 });
    expect(refusal().details).toEqual({ retryAfterMilliseconds: 23 * HOUR });
  });

  it("is not given twice by a clock that is put back", () => {
    const { clock, enter, refusal } = open({ tokensPerDay: 100 });
    enter().leave({ tokens: 100, cost: 0 });
    clock.now -= 24 * HOUR;
    expect(refusal().message).toContain("tokensPerDay");
  });
});

describe("the limit of the whole server", () => {
  it("holds for all together", () => {
    const { enter, refusal } = open({}, 2);
    const first = enter("alice");
    enter("bob");
    expect(refusal("carol")).toMatchObject({ kind: "overloaded", details: { retryAfterMilliseconds: 1000 } });
    expect(refusal("carol").message).toMatch(/^The server runs 2 generations, .*\(limits\.concurrent\)/u);
    first.leave(NOTHING);
    enter("carol");
  });

  it("takes no place for those whom another limit refuses", () => {
    const { enter, refusal } = open({ concurrent: 1 }, 2);
    enter("alice");
    for (let count = 0; count < 5; count += 1) expect(refusal("alice").kind).toBe("rate_limited");
    enter("bob");
  });
});
