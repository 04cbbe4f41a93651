import type { Model } from "../../api/generations.ts";

/** What {@link ModelPicker} needs. */
interface ModelPickerProps {
  readonly models: readonly Model[];
  readonly model: string;
  readonly onChange: (name: string) => void;
}

/** Chooses a model of the list, or any other by its name: a provider has more models than the gateway lists. */
export function ModelPicker({ models, model, onChange }: ModelPickerProps) {
  const isListed = models.some(({ id }) => id === model);
  return (
    <>
      <div class="field">
        <label for="model">Model</label>
        <select
          id="model"
          class="full"
          value={isListed ? model : ""}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {models.map(({ id, owned_by }) => (
            <option key={id} value={id}>{`${id} (${owned_by})`}</option>
          ))}
          <option value="">Another one…</option>
        </select>
      </div>
      {!isListed && models.length > 0 && (
        <div class="field">
          <label for="model-name">Its name</label>
          <input
            id="model-name"
            value={model}
            placeholder="provider/model"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </div>
      )}
    </>
  );
}
