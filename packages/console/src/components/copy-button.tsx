import { useState } from "preact/hooks";

const SHOWN_MILLISECONDS = 1500;

/** Copies a text, and says so for a moment. */
export function CopyButton({ text }: { readonly text: string }) {
  const [state, setState] = useState<"ready" | "copied" | "refused">("ready");
  const copy = async (): Promise<void> => {
    const outcome = await navigator.clipboard.writeText(text).then(
      () => "copied" as const,
      () => "refused" as const,
    );
    setState(outcome);
    setTimeout(() => setState("ready"), SHOWN_MILLISECONDS);
  };
  const words = { ready: "Copy", copied: "Copied", refused: "Not allowed" };
  return (
    <button type="button" class="small" aria-live="polite" onClick={() => void copy()}>
      {words[state]}
    </button>
  );
}
