import { useState } from "preact/hooks";

const SHOWN_MILLISECONDS = 1500;

/** Copies a text, and says so for a moment. What it is, only those are told who do not see where the button stands. */
export function CopyButton({ text, what }: { readonly text: () => string; readonly what: string }) {
  const [state, setState] = useState<"ready" | "copied" | "refused">("ready");
  const copy = async (): Promise<void> => {
    setState((await write(text())) ? "copied" : "refused");
    setTimeout(() => setState("ready"), SHOWN_MILLISECONDS);
  };
  const words = { ready: "Copy", copied: "Copied", refused: "Not allowed" };
  return (
    <button type="button" class="small" aria-live="polite" onClick={() => void copy()}>
      {words[state]}
      {state === "ready" && <span class="hidden"> {what}</span>}
    </button>
  );
}

/** Puts a text into the clipboard. False if that is not allowed. */
async function write(text: string): Promise<boolean> {
  // A gateway in the house is asked without encryption, and there browsers have no clipboard of this kind.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return writeBySelection(text);
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** The old way: what is selected is copied. */
function writeBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.className = "hidden";
  field.value = text;
  const { activeElement } = document;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  return isCopied;
}
