import type { Source } from "fullstop/control";
import type { FormattedText } from "./formatted-text.ts";
import { readLinkTarget } from "./links.ts";
import { TextBuilder } from "./text-builder.ts";

/** What is said of where an answer comes from. */
export interface SourcesView {
  /** What stands above them, such as `Sources`. */
  readonly heading: string;
  readonly sources: readonly Source[];
}

/** More than these are no list that somebody reads on a telephone; their names fill a third of a message at most. */
const MOST_SOURCES = 10;

/** The sources of an answer that are on the web, as a numbered list of links; nothing if there are none. */
export function formatSources({ heading, sources }: SourcesView): FormattedText {
  const builder = new TextBuilder();
  const pages = sources.flatMap(({ name, link }) => (link === undefined ? [] : [{ name: name.toWellFormed(), link }]));
  if (pages.length > 0) builder.write(`${heading}:`);
  for (const [index, { name, link }] of pages.slice(0, MOST_SOURCES).entries()) {
    builder.breakLine(1);
    builder.write(`${index + 1}. `);
    const target = readLinkTarget(link);
    // A page that only this machine can reach still has a name.
    if (target.kind === "link") builder.styled({ type: "text_link", url: target.url }, () => builder.write(name));
    else builder.write(name);
  }
  return builder.finish();
}
