import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Note } from "./note.tsx";

type Loaded = { readonly state: "loading" | "failed" } | { readonly state: "ready"; readonly Page: ComponentType };

/** A page whose code is fetched when somebody goes there. */
export function Lazy({ load }: { readonly load: () => Promise<ComponentType> }) {
  const [loaded, setLoaded] = useState<Loaded>({ state: "loading" });
  useEffect(() => {
    let isWanted = true;
    load().then(
      (Page) => isWanted && setLoaded({ state: "ready", Page }),
      () => isWanted && setLoaded({ state: "failed" }),
    );
    return () => {
      isWanted = false;
    };
  }, [load]);
  if (loaded.state === "ready") return <loaded.Page />;
  if (loaded.state === "failed") {
    return (
      <Note kind="error">
        <p>This page cannot be loaded. The gateway is away, or there is another version of it now.</p>
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </Note>
    );
  }
  return <Note kind="loading">Loading…</Note>;
}
