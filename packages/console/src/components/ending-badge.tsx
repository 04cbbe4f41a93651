import type { Ending } from "../api/generations.ts";
import { wordsOf } from "./reasons.ts";
import { showStopString } from "./stop-string.ts";

/** How an answer ended, as one word with a colour and a mark, so that nobody depends on the colour. */
export function ReasonMark({ reason }: { readonly reason: string }) {
  const { label, tone } = wordsOf(reason);
  return (
    <span class={`mark mark-${tone}`} data-reason={reason}>
      <span class="mark-dot" aria-hidden="true" />
      {label}
    </span>
  );
}

/** How an answer ended, with everything that is known about it behind it. */
export function EndingBadge({ signal }: { readonly signal: Ending }) {
  const { reason, detail, confidence, stopSequence, message } = signal;
  return (
    <details class="ending">
      <summary>
        <ReasonMark reason={reason} />
        {detail !== undefined && <span class="ending-detail">{detail}</span>}
        {stopSequence !== undefined && <code class="ending-match">{showStopString(stopSequence)}</code>}
        {confidence !== "high" && <span class="ending-detail">{confidence} confidence</span>}
        <span class="ending-more">why</span>
      </summary>
      <div class="ending-body">
        {message !== undefined && <p>{message}</p>}
        <EndingFacts signal={signal} />
      </div>
    </details>
  );
}

/** All that a signal says, as a list of facts. */
export function EndingFacts({ signal }: { readonly signal: Ending }) {
  const {
    reason,
    detail,
    confidence,
    stopSequence,
    providerSpecific,
    unshown,
    warnings,
    skippedThinking,
    stopMilliseconds,
  } = signal;
  const { originalField, originalValue, metadata } = providerSpecific;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Reason", reason],
    ["Detail", detail],
    ["Confidence", confidence],
    ["Matched and removed", stopSequence === undefined ? undefined : showStopString(stopSequence)],
    ["Not shown", unshown && `${unshown.characters} characters, about ${unshown.estimatedTokens} tokens`],
    ["Thinking", skippedThinking && "was skipped"],
    ["Ended after the stop", stopMilliseconds === undefined ? undefined : `${stopMilliseconds} ms`],
    ["In the source's own words", `${originalField} = ${JSON.stringify(originalValue)}`],
    ["More of it", metadata && JSON.stringify(metadata, undefined, 1)],
    ...(warnings ?? []).map(({ field, message }) => [`Warning about ${field}`, message] as const),
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
