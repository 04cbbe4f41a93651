import type { Observation } from "./observation.ts";

/** The kinds of faults that have come to pass in a generation, and not only in its plan. */
export function kindsOf({ plan, exchanges, orders, client, kept, resumed, id }: Observation): readonly string[] {
  const { fault, conduct } = plan;
  const hasLeft = client.kind === "http" && client.received.over === "left";
  const isConfirmed = orders.some(({ result }) => result === "stopped");
  const isAt = (mine: boolean): boolean => orders.some(({ at }) => (at === plan.replica) === mine);
  const signal = kept?.at(-1)?.signal;
  const happened: Readonly<Record<string, boolean>> = {
    [fault]: fault !== "none" && exchanges.some(({ hasFailed }) => hasFailed),
    "stop-here": conduct === "stop" && isConfirmed && isAt(true),
    "stop-elsewhere": conduct === "stop" && isConfirmed && isAt(false),
    "finish-sentence": conduct === "finish-sentence" && isConfirmed,
    "skip-thinking": conduct === "skip-thinking" && isConfirmed,
    "late-stop": conduct === "late-stop" && orders.length > 0,
    stranger: conduct === "stranger" && orders.length > 0,
    leave: conduct === "leave" && hasLeft,
    "leave-early": conduct === "leave-early" && hasLeft && id !== undefined,
    "leave-running": conduct === "leave-running" && hasLeft,
    resume: conduct === "resume" && resumed !== undefined,
    "slow-reader": conduct === "slow-reader" && client.kind === "http" && client.received.chunks.length > 1,
    deadline: signal?.detail === "deadline",
  };
  return Object.entries(happened).flatMap(([kind, isSeen]) => (isSeen ? [kind] : []));
}
