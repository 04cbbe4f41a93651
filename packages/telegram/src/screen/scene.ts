import type { FormattedText } from "../text/formatted-text.ts";
import { createAnswerRenderer } from "../text/render-answer.ts";
import type { AnswerView } from "../text/render-answer.ts";
import type { Buttons, WantedMessage } from "./plan.ts";

/** What is to be seen of an answer at one moment, and what can be done about it. */
export interface Scene {
  readonly view: AnswerView;
  /** Under the last message. */
  readonly buttons: Buttons;
}

/** How a scene is drawn. */
export interface DrawOptions {
  /** Telegram checks formatting. Where it does not take ours, the text is shown without. */
  readonly formatting: "full" | "none";
  /** Whether something is said where there is nothing to say yet. Messages need that, and drafts do not. */
  readonly hasPlaceholder: boolean;
}

/** Makes a function that draws the scenes of one answer as messages, at the cost of what is new in each. */
export function createSceneDrawer(): (scene: Scene, options: DrawOptions) => readonly WantedMessage[] {
  const render = createAnswerRenderer();
  return ({ view, buttons }, { formatting, hasPlaceholder }) => {
    const pieces = render(hasPlaceholder ? view : { ...view, placeholder: "" });
    return pieces.map((content, index) => ({
      content: formatting === "full" ? content : withoutFormatting(content),
      buttons: index === pieces.length - 1 ? buttons : undefined,
    }));
  };
}

function withoutFormatting({ text }: FormattedText): FormattedText {
  return { text, entities: [] };
}
