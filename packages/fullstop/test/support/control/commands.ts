import fc from "fast-check";
import { finish } from "../../../src/testing/index.ts";
import { checkWorld } from "./check-world.ts";
import type { LinkState } from "./link.ts";
import { LEASE } from "./world.ts";
import type { World } from "./world.ts";

/** How many servers there are at most, those among them that have crashed. */
const MOST_SERVERS = 4;

/** One thing that happens in a {@link World}. */
class Happening implements fc.AsyncCommand<World, World> {
  readonly #text: string;
  readonly #happen: (world: World) => void | Promise<void>;

  constructor(text: string, happen: (world: World) => void | Promise<void>) {
    this.#text = text;
    this.#happen = happen;
  }

  check(): boolean {
    return true;
  }

  async run(world: World): Promise<void> {
    await this.#happen(world);
    await world.settle();
    await checkWorld(world);
  }

  toString(): string {
    return this.#text;
  }
}

/** One of a list, whatever the number; nothing where the list is empty. */
function pick<T>(list: readonly T[], number: number, use: (one: T) => void | Promise<void>): void | Promise<void> {
  const one = list[number % list.length];
  return one === undefined ? undefined : use(one);
}

const which = fc.nat(5);

/** One server or all of them. */
const some = fc.option(which);

function chosen(world: World, server: number | null): World["servers"] {
  const alive = world.alive();
  return alive.filter((_, index) => server === null || index === server % alive.length);
}

const start = which.map(
  (server) => new Happening(`start at ${server}`, (world) => pick(world.alive(), server, (at) => world.start(at))),
);

const write = fc.tuple(which, fc.integer({ min: 1, max: 3 })).map(
  ([number, count]) =>
    new Happening(`write ${count} to ${number}`, (world) => {
      const running = world.expected.filter(
        ({ server, live }) => world.isAlive(server) && live.ownEnding === undefined,
      );
      return pick(running, number, (expected) => world.write(expected, count));
    }),
);

const end = which.map(
  (number) =>
    new Happening(`finish ${number}`, (world) => {
      const running = world.expected.filter(({ server }) => world.isAlive(server));
      return pick(running, number, ({ live }) => live.finish(finish().signal));
    }),
);

const order = fc
  .tuple(which, which, fc.constantFrom("stop" as const, "skip-thinking" as const))
  .map(
    ([number, server, mode]) =>
      new Happening(`${mode} ${number} at ${server}`, (world) =>
        pick(world.expected, number, (expected) =>
          pick(world.alive(), server, (at) => world.order(expected, at, mode)),
        ),
      ),
  );

const crash = which.map(
  (server) => new Happening(`crash ${server}`, (world) => pick(world.alive(), server, (at) => world.crash(at))),
);

const join = fc.constant(
  new Happening("join", (world) => (world.servers.length < MOST_SERVERS ? world.addServer() : undefined)),
);

const cut = fc
  .tuple(some, fc.constantFrom<LinkState>("failing", "deaf", "silent"))
  .map(
    ([server, state]) =>
      new Happening(`${state} ${server ?? "for all"}`, (world) => world.setLinks(chosen(world, server), state)),
  );

const restore = some.map(
  (server) => new Happening(`up ${server ?? "for all"}`, (world) => world.setLinks(chosen(world, server), "up")),
);

/** Cut off for as long as it takes to be given up by the others, and back again. */
const part = fc.tuple(some, fc.constantFrom<LinkState>("failing", "silent")).map(
  ([server, state]) =>
    new Happening(`${state} ${server ?? "for all"} for a lease`, async (world) => {
      const servers = chosen(world, server);
      world.setLinks(servers, state);
      await world.clock.advance(LEASE);
      world.setLinks(servers, "up");
    }),
);

const forget = fc.constant(new Happening("forget", (world) => world.forget()));

const read = fc
  .tuple(which, which)
  .map(
    ([number, server]) =>
      new Happening(`read ${number} at ${server}`, (world) =>
        pick(world.expected, number, (expected) => pick(world.alive(), server, (at) => world.read(expected, at))),
      ),
  );

const resume = fc
  .tuple(which, which)
  .map(
    ([number, server]) =>
      new Happening(`resume ${number} at ${server}`, (world) =>
        pick(world.readers, number, (reader) => pick(world.alive(), server, (at) => world.resume(reader, at))),
      ),
  );

const remove = fc
  .tuple(which, which)
  .map(
    ([number, server]) =>
      new Happening(`delete ${number} at ${server}`, (world) =>
        pick(world.expected, number, (expected) => pick(world.alive(), server, (at) => world.delete(expected, at))),
      ),
  );

const pass = fc
  .constantFrom(1, 10, 100, 300, 600, LEASE / 2, LEASE)
  .map((milliseconds) => new Happening(`pass ${milliseconds}`, (world) => world.clock.advance(milliseconds)));

/** Whatever can happen, in any order; what happens often is named often. */
export const happenings = fc.commands(
  [start, start, write, write, write, end, order, order, crash, join, cut, cut, restore, restore, part, forget].concat([
    read,
    read,
    resume,
    resume,
    remove,
    pass,
    pass,
    pass,
  ]),
  { maxCommands: 40, size: "max" },
);
