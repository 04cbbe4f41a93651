import { useEffect, useState } from "preact/hooks";

/** What {@link Limit} needs. */
interface LimitProps {
  readonly id: string;
  readonly label: string;
  readonly value: number | null;
  /** Whether a part of one is a limit, too. */
  readonly takesParts?: boolean;
  readonly onChange: (value: number | null) => void;
}

/** A limit that is a number, or none. Where something else is written, it is said that it does not hold. */
export function Limit({ id, label, value, takesParts = false, onChange }: LimitProps) {
  const [written, setWritten] = useState(() => show(value));
  /** Whether what stands there is no number at all, which browsers show and do not tell. */
  const [isNoNumber, setIsNoNumber] = useState(false);
  const limit = readLimit(written, takesParts);
  const isWrong = isNoNumber || (written !== "" && limit === null);
  // It may be set from elsewhere, by an example.
  useEffect(() => {
    if (value === limit) return;
    setWritten(show(value));
    setIsNoNumber(false);
  }, [value]);
  const write = ({ value: text, validity }: HTMLInputElement): void => {
    setWritten(text);
    setIsNoNumber(validity.badInput);
    onChange(readLimit(text, takesParts));
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={takesParts ? 0 : 1}
        step={takesParts ? "any" : 1}
        placeholder="none"
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-wrong` : undefined}
        value={written}
        onInput={(event) => write(event.currentTarget)}
      />
      {isWrong && (
        <span id={`${id}-wrong`} class="wrong" role="alert">
          {takesParts ? "No limit: it has to be above 0" : "No limit: it has to be a whole number from 1 on"}
        </span>
      )}
    </div>
  );
}

function show(value: number | null): string {
  return value === null ? "" : String(value);
}

function readLimit(written: string, takesParts: boolean): number | null {
  const number = Number(written);
  const isLimit = takesParts ? number > 0 : number >= 1 && Number.isSafeInteger(number);
  return isLimit ? number : null;
}
