import type { ComponentChildren } from "preact";

/** A few words in place of content: that there is none yet, that it is on its way, or that it cannot be had. */
export function Note({
  kind,
  children,
}: {
  readonly kind: "empty" | "loading" | "error";
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`note note-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}
