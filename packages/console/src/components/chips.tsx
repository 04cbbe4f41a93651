import { useRef, useState } from "preact/hooks";
import { isPartOfWriting } from "../state/composition.ts";

/** What {@link Chips} needs. */
interface ChipsProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly values: readonly string[];
  /** What is meant by what somebody has written, and the other way round. */
  readonly read: (written: string) => string;
  readonly show: (value: string) => string;
  readonly onChange: (values: readonly string[]) => void;
}

/** A list of short texts: Enter adds one, its button or Backspace in the empty field takes one away. */
export function Chips({ id, label, hint, values, read, show, onChange }: ChipsProps) {
  const [draft, setDraft] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = (): void => {
    const value = read(draft);
    if (value !== "" && !values.includes(value)) onChange([...values, value]);
    setDraft("");
  };
  const remove = (value: string): void => {
    onChange(values.filter((each) => each !== value));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isPartOfWriting(event)) return;
    if (event.key === "Enter") {
      event.preventDefault();
      add();
    }
    if (event.key === "Backspace" && draft === "" && values.length > 0) onChange(values.slice(0, -1));
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="chips">
        {values.map((value) => (
          <span class="chip" key={value}>
            <code dir="auto">{show(value)}</code>
            <button type="button" aria-label={`Remove ${show(value)}`} onClick={() => remove(value)}>
              ×
            </button>
          </span>
        ))}
        <input
          id={id}
          ref={input}
          value={draft}
          dir="auto"
          placeholder={hint}
          autocomplete="off"
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={add}
        />
      </div>
    </div>
  );
}
