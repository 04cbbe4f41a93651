import type { Source } from "fullstop/control";

/** Where an answer comes from, by the numbers that stand in its text. */
export function SourceLinks({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <ol class="source-links">
      {sources.map((source, index) => (
        <li key={index}>
          <SourceName source={source} />
        </li>
      ))}
    </ol>
  );
}

/** A link, if the source is on the web. Any other address is not to be followed, and an odd one is shown as it is. */
function SourceName({ source: { name, link } }: { readonly source: Source }) {
  if (link === undefined) return <bdi>{name}</bdi>;
  return (
    <a href={link} target="_blank" rel="noreferrer noopener nofollow" dir="auto">
      {name}
    </a>
  );
}
