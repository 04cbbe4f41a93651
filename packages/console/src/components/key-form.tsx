import { useState } from "preact/hooks";
import { giveKey } from "../api/http.ts";

/** Asks for the key, where the gateway wants one. */
export function KeyForm({ message }: { readonly message: string }) {
  const [key, setKey] = useState("");
  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (key !== "") giveKey(key);
      }}
    >
      <h1>Come in</h1>
      <p role="alert">{message}</p>
      <label for="key">Your key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        value={key}
        onInput={(event) => setKey(event.currentTarget.value)}
      />
      <p class="quiet">It is kept in this tab, until the tab is closed, and sent to this gateway only.</p>
      <button type="submit" class="primary" disabled={key === ""}>
        Use this key
      </button>
    </form>
  );
}
