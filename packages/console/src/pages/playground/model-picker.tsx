import type { ListedModels } from "../../state/models.ts";

/** What {@link ModelPicker} needs. */
interface ModelPickerProps {
  readonly listed: ListedModels;
  readonly model: string;
  readonly onChange: (name: string) => void;
}

/** Chooses a model of the list, or any other by its name: a provider has more models than the gateway lists. */
export function ModelPicker({ listed, model, onChange }: ModelPickerProps) {
  const models = listed.state === "ready" ? listed.models : [];
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
          <option value="">{listed.state === "loading" ? "Asking which there are…" : "Another one…"}</option>
        </select>
      </div>
      {!isListed && listed.state !== "loading" && (
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
