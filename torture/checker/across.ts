import type { Row } from "../clients/kept.ts";
import type { HouseFaultRecord } from "../house.ts";
import type { Observation } from "../observation.ts";
import { callsOf, textOf } from "../provider/frames.ts";
import { gatherKept } from "./answer.ts";
import type { Problem } from "./case.ts";

/** Generations with the same content and the same rules come to the same, however they were cut and by whomever read. */
export function checkTwins(one: Observation, two: Observation): readonly Problem[] {
  if (!isUndisturbed(one) || !isUndisturbed(two) || contentOf(one) !== contentOf(two)) return [];
  const [first, second] = [gatherKept(one.kept ?? []), gatherKept(two.kept ?? [])];
  const isSame = first.text === second.text && first.reasoning === second.reasoning && first.word === second.word;
  if (isSame) return [];
  const problem = `${one.plan.number} has ${first.text.length} characters and ${first.word}, ${two.plan.number} has ${second.text.length} and ${second.word}`;
  return [{ check: "twins", guarantees: [2], problem }];
}

function isUndisturbed({ plan, orders, houseFault, kept }: Observation): boolean {
  const isSound = ["none", "drip", "repetition", "finish-twice"].includes(plan.fault);
  const isLeft = plan.conduct === "leave" || plan.conduct === "leave-early" || plan.conduct === "deadline";
  return isSound && !isLeft && orders.length === 0 && houseFault === undefined && kept !== undefined;
}

function contentOf({ plan: { pieces, rules, ending } }: Observation): string {
  const { onDisconnect: _, ...others } = rules;
  return JSON.stringify([textOf(pieces, "reasoning"), textOf(pieces, "text"), callsOf(pieces), others, ending]);
}

/** What there is when all is over. */
export interface Leftovers {
  readonly running: readonly Row[];
  readonly ended: readonly Row[];
  /** The ids that clients were told, by model. */
  readonly known: ReadonlyMap<string, string>;
  readonly faults: readonly HouseFaultRecord[];
}

/** Nothing runs any more, everything has ended once, and gateways that were told to end have done so in peace. */
export function checkWhatIsLeft({ running, ended, known, faults }: Leftovers): readonly Problem[] {
  const byModel = new Map<string, string[]>();
  for (const { model, id } of ended) byModel.set(model, [...(byModel.get(model) ?? []), id]);
  const twice = [...byModel].filter(([, ids]) => ids.length > 1);
  const lost = [...known].filter(([model, id]) => byModel.get(model)?.includes(id) !== true);
  const rough = faults.filter(({ kind, exit }) => kind === "restart" && exit !== 0);
  const loud = faults.filter(({ stderr }) => stderr !== "");
  const problems = [
    running.length > 0 && `${running.length} generations still run, such as ${running[0]?.model}`,
    twice.length > 0 && `${twice.length} requests have led to several generations, such as ${twice[0]?.[0]}`,
    lost.length > 0 && `${lost.length} generations are missing in the history, such as ${lost[0]?.[0]}`,
    rough.length > 0 && `${rough.length} gateways that were told to end ended with ${rough[0]?.exit}`,
    loud.length > 0 && `gateways complained: ${loud[0]?.stderr.slice(0, 500)}`,
  ].filter((problem) => problem !== false);
  return problems.map((problem) => ({ check: "what is left", guarantees: [1, 10], problem }));
}
