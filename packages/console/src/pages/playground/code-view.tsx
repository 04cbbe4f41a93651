import { useState } from "preact/hooks";
import { CopyButton } from "../../components/copy-button.tsx";
import { CODE_KINDS, writeCode } from "./code-samples.ts";
import type { CodeKind } from "./code-samples.ts";
import type { PlaygroundSession } from "./session.ts";

/** The last request as code to copy. */
export function CodeView({ session }: { readonly session: PlaygroundSession }) {
  const [kind, setKind] = useState<CodeKind>("curl");
  const [isOpen, setIsOpen] = useState(false);
  const code = isOpen ? writeCode(kind, location.origin, session.settings, session.turns) : "";
  return (
    <details class="code" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>The same request as code</summary>
      <div class="row spread">
        <fieldset class="choices">
          <legend class="hidden">Language</legend>
          {CODE_KINDS.map((each) => (
            <label key={each} class={each === kind ? "is-chosen" : ""}>
              <input type="radio" name="code" checked={each === kind} onChange={() => setKind(each)} />
              {each}
            </label>
          ))}
        </fieldset>
        <CopyButton text={() => code} what="the code" />
      </div>
      {/* Long lines scroll, which has to be possible by keyboard. */}
      <pre tabIndex={0} aria-label={`The request for ${kind}`}>
        {code}
      </pre>
    </details>
  );
}
