import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Observation } from "./observation.ts";

const FOLDER = fileURLToPath(new URL("../.scratch/torture/", import.meta.url));

/** Where everything is written that was seen of a generation, for people who want to know why it went wrong. */
export function evidenceFile(seed: number, number: number): string {
  return path.join(FOLDER, `${seed}-${number}.json`);
}

/** Writes it down at once: what a violation has depended on may not come back when its seed is run again. */
export function writeEvidence(observation: Observation): void {
  const { seed, number } = observation.plan;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(evidenceFile(seed, number), `${JSON.stringify(readable(observation), undefined, 2)}\n`);
}

/** Bytes as the text that they are. */
function readable({ client, ...others }: Observation): object {
  if (client.kind === "sdk") return { ...others, client };
  const { chunks, ...received } = client.received;
  const texts = chunks.map(({ at, bytes }) => ({ at, text: bytes.toString() }));
  return { ...others, client: { ...client, received: { ...received, chunks: texts } } };
}
