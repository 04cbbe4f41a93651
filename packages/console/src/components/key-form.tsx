import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { canBeKey, giveKey } from "../api/http.ts";
import { focusMain } from "../state/focus.ts";

/** Asks for the key, where the gateway wants one. */
export function KeyForm({ message }: { readonly message: string }) {
  const input = useRef<HTMLInputElement>(null);
  // There is nothing else to do here, and whoever sees the form may be writing already.
  useLayoutEffect(() => input.current?.focus(), []);
  const [written, setWritten] = useState("");
  const key = written.trim();
  const isWrong = key !== "" && !canBeKey(key);
  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!canBeKey(key)) return;
        // The form goes. It comes back with the focus in it if the key is refused.
        focusMain();
        giveKey(key);
      }}
    >
      <h1>Come in</h1>
      <p role="alert">{message}</p>
      <label for="key">Your key</label>
      <input
        id="key"
        ref={input}
        type="password"
        autocomplete="off"
        value={written}
        aria-invalid={isWrong}
        aria-describedby="key-hint"
        onInput={(event) => setWritten(event.currentTarget.value)}
      />
      {isWrong && (
        <p class="wrong" role="alert">
          A key has no letters but those of ASCII. Was something else copied?
        </p>
      )}
      <p class="quiet" id="key-hint">
        It is kept in this tab, until the tab is closed, and sent to this gateway only.
      </p>
      <button type="submit" class="primary" disabled={!canBeKey(key)}>
        Use this key
      </button>
    </form>
  );
}
