import type { ComponentChildren } from "preact";
import { Chips } from "../../components/chips.tsx";
import { readStopString, showStopString } from "../../components/stop-string.ts";
import type { ListedModels } from "../../state/models.ts";
import { Limit } from "./limit.tsx";
import { ModelPicker } from "./model-picker.tsx";
import type { PlaygroundSettings } from "./settings.ts";

/** What {@link Controls} needs. */
interface ControlsProps {
  readonly listed: ListedModels;
  readonly settings: PlaygroundSettings;
  readonly onChange: (settings: Partial<PlaygroundSettings>) => void;
}

/** Which model answers, and when it is to stop. */
export function Controls({ listed, settings, onChange }: ControlsProps) {
  const { model, stop, endsLoops, thinks, offersTool, maxTokens, maxSeconds, maxThinkingTokens } = settings;
  return (
    <div class="controls">
      <ModelPicker listed={listed} model={model} onChange={(name) => onChange({ model: name })} />
      <Chips
        id="stop"
        label="Stop strings"
        hint={stop.length === 0 ? "</answer> or \\n, then Enter" : ""}
        values={stop}
        read={readStopString}
        show={showStopString}
        onChange={(values) => onChange({ stop: values })}
      />
      <fieldset class="numbers">
        <legend>At most</legend>
        <Limit id="tokens" label="Tokens" value={maxTokens} onChange={(value) => onChange({ maxTokens: value })} />
        <Limit
          id="seconds"
          label="Seconds"
          takesParts
          value={maxSeconds}
          onChange={(value) => onChange({ maxSeconds: value })}
        />
        <Limit
          id="thinking-tokens"
          label="Thinking"
          value={maxThinkingTokens}
          onChange={(value) => onChange({ maxThinkingTokens: value })}
        />
      </fieldset>
      <Switch id="loops" isOn={endsLoops} onChange={(isOn) => onChange({ endsLoops: isOn })}>
        Stop when it repeats itself
      </Switch>
      <Switch id="thinks" isOn={thinks} onChange={(isOn) => onChange({ thinks: isOn })}>
        Let it think first
      </Switch>
      <Switch id="tool" isOn={offersTool} onChange={(isOn) => onChange({ offersTool: isOn })}>
        Offer it the tool <code>get_weather</code>
      </Switch>
    </div>
  );
}

interface SwitchProps {
  readonly id: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}

function Switch({ id, isOn, onChange, children }: SwitchProps) {
  return (
    <label class="switch" for={id}>
      <input id={id} type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}
