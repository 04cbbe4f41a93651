/** A mistake that is made on purpose, in the built code. */
export interface Mutation {
  readonly name: string;
  /** From the folder of the packages. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

/** The mistakes that the checker has to see. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "lost tail: what is held back is not released at the end",
    file: "fullstop/dist/stop/lane.js",
    text: "return this.#held.releaseAll() + half;",
    instead: "this.#held.releaseAll(); return half;",
  },
  {
    name: "leaked stop: a stop string is shown",
    file: "fullstop/dist/stop/lane.js",
    text: "showUntil: this.#stopSet.include[index] ? matchEnd : start,",
    instead: "showUntil: matchEnd,",
  },
  {
    name: "double finish: the end is written twice",
    file: "fullstop/dist/wire/writing/sink.js",
    text: "        this.#next.end();\n    }\n}",
    instead:
      '        this.#writer.finish({ head: this.#keepHead("", ""), signal, usage: this.#usage, isStarted });\n        this.#next.end();\n    }\n}',
  },
  {
    name: "success on a cut: a source that ends without a finish ends well",
    file: "fullstop/dist/termination.js",
    text: 'reason: "error_termination",\n        detail: "truncated",',
    instead: 'reason: "natural_completion",\n        detail: "truncated",',
  },
  {
    name: "wrong generation: a stop hits the one that began last",
    file: "gateway/dist/generations/generations.js",
    text: "const local = this.#live.get(id) ?? this.#unrecorded.get(id);",
    instead: "const local = this.#live.all().at(-1) ?? this.#unrecorded.get(id);",
  },
  {
    name: "needless delay: three characters more are held back",
    file: "fullstop/dist/stop/lane.js",
    text: "const hold = Math.max(this.#matcher?.held ?? 0,",
    instead: "const hold = Math.max(this.#matcher === undefined ? 0 : this.#matcher.held + 3,",
  },
  {
    name: "a reader who leaves stops what is to go on",
    file: "gateway/dist/doors/answer.js",
    text: 'isBackground || settings.onDisconnect !== "stop"',
    instead: "isBackground",
  },
  {
    name: "an upstream that nobody hangs up on",
    file: "gateway/dist/upstream/upstream-answer.js",
    text: "this.#connection?.close(reason instanceof Error ? reason : ABANDONED);",
    instead: "",
  },
  {
    name: "a stop that does not reach the provider",
    file: "gateway/dist/generations/remote-answer.js",
    text: "target.engine.generate(asked, signal);",
    instead: "target.engine.generate(asked, new AbortController().signal);",
  },
];
