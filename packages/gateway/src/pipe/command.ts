import type { TerminationSignal } from "fullstop";
import { defineCommand } from "../command-line/run-command.ts";
import { quote, toPrintable } from "../printable.ts";
import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { ByteGuard } from "./byte-guard.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { Interruption } from "./exit-codes.ts";
import { openInput } from "./input.ts";
import type { Input } from "./input.ts";
import { PIPE, readPipeOptions } from "./options.ts";
import type { PipeOptions } from "./options.ts";

/** Runs `fullstop pipe`: a filter that decides when a text ends. */
export const runPipe: RunCommand = defineCommand({ description: PIPE, read: readPipeOptions, run: filter });

/** What is called out while the filter waits for input. */
type Call = { readonly type: "tick" } | { readonly type: "interruption"; readonly interruption: Interruption };

const SIGNALS: Readonly<Record<"SIGINT" | "SIGTERM", Interruption>> = { SIGINT: "interrupted", SIGTERM: "terminated" };

async function filter(options: PipeOptions, terminal: Terminal): Promise<number> {
  const input = openInput<Call>(terminal.stdin);
  const guard = new ByteGuard(options.rules, options.search);
  const hush = listen(input, options);
  try {
    const { signal, bytesWritten, interruption } = await passOn(guard, input, terminal);
    const exitCode = exitCodeOf(signal, interruption);
    // Before anything is said, so that the writer is told even if nobody listens to what is said.
    input.leave();
    await tell(options, { exitCode, bytesWritten, signal }, terminal);
    return exitCode;
  } finally {
    hush();
    input.leave();
  }
}

interface Outcome {
  readonly signal: TerminationSignal;
  readonly bytesWritten: number;
  readonly interruption: Interruption | undefined;
}

/** Passes on what may be shown until the text has ended. */
async function passOn(guard: ByteGuard, input: Input<Call>, { stdout }: Terminal): Promise<Outcome> {
  let bytesWritten = 0;
  let interruption: Interruption | undefined;
  const interrupt = (by: Interruption): Uint8Array => {
    interruption = by;
    return guard.cancel(by);
  };
  const take = (next: Uint8Array | "end" | Call): Uint8Array => {
    if (next === "end") return guard.end();
    if (next instanceof Uint8Array) return guard.push(next);
    return next.type === "tick" ? guard.tick() : interrupt(next.interruption);
  };
  for (;;) {
    const ended = guard.signal;
    if (ended !== undefined) return { signal: ended, bytesWritten, interruption };
    let next: Uint8Array | "end" | Call;
    try {
      next = await input.next();
    } catch (error) {
      // What was held back is no less a part of the text because the rest cannot be read.
      await writeText(stdout, guard.end());
      throw error;
    }
    const shown = take(next);
    if (shown.length === 0) continue;
    if (await writeText(stdout, shown)) bytesWritten += shown.length;
    else if (guard.signal === undefined) interrupt("reader_left");
  }
}

/** Has signals and the passing of time called out; returns how to end that. */
function listen(input: Input<Call>, { maxMilliseconds }: PipeOptions): () => void {
  const listeners = Object.entries(SIGNALS).map(([name, interruption]) => {
    const listener = (): void => input.callOut({ type: "interruption", interruption });
    // Once: whoever is in a hurry ends the process with the second one.
    process.once(name, listener);
    return () => void process.off(name, listener);
  });
  let timer: NodeJS.Timeout | undefined;
  if (maxMilliseconds !== undefined) {
    const tick = (): void => {
      input.callOut({ type: "tick" });
      // A timer may be up to a millisecond ahead of the clock.
      timer = setTimeout(tick, 1);
    };
    timer = setTimeout(tick, maxMilliseconds);
  }
  return () => {
    for (const stop of listeners) stop();
    clearTimeout(timer);
  };
}

interface Ending {
  readonly exitCode: number;
  readonly bytesWritten: number;
  readonly signal: TerminationSignal;
}

async function tell({ report }: PipeOptions, ending: Ending, { stderr }: Terminal): Promise<void> {
  if (report === "nothing") return;
  const line = report === "json" ? JSON.stringify(ending) : `fullstop pipe: ${describe(ending.signal)}`;
  await writeText(stderr, `${line}\n`);
}

function describe({ reason, message, detail, stopSequence }: TerminationSignal): string {
  if (reason === "cancelled") return detail === "reader_left" ? "Nobody reads the output any more" : `It was ${detail}`;
  const words = toPrintable(message ?? reason);
  return stopSequence === undefined ? words : `${words}: ${quote(stopSequence)}`;
}
