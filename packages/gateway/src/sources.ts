import type { Source } from "fullstop/control";
import { fitText } from "./fit.ts";

/** A source as programs are told of it. */
interface SourceFields {
  readonly title: string | null;
  readonly url: string | null;
  readonly quote: string | null;
}

/** An address is of no use without its end, but one that is longer is none that anybody follows. */
const LONGEST_LINE = 1000;

/** A source on one line: its name, and its address, which many terminals make a link of. */
export function describeSource({ name, title, url, link = url }: Source): string {
  if (link === undefined) return name;
  // Without a title the name is taken from the address.
  return title === undefined ? link : `${name} ${link}`;
}

/** Sources as numbered lines for a terminal, each ended; nothing if there are none. */
export function listSources(sources: readonly Source[]): string {
  if (sources.length === 0) return "";
  const lines = sources.map((source, index) => `${index + 1}. ${fitText(describeSource(source), LONGEST_LINE)}\n`);
  return `Sources:\n${lines.join("")}`;
}

/** Sources for programs. */
export function sourcesToJson(sources: readonly Source[]): readonly SourceFields[] {
  return sources.map(({ title = null, url = null, quote = null }) => ({ title, url, quote }));
}
