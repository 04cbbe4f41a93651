import type { Token } from "node-llama-cpp";
import type { GenerationEvent, Usage } from "../events.ts";
import { defineReasoningSplitter } from "../reasoning/split.ts";
import { compose } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { defineGuard } from "../stop/guard.ts";
import { createTerminationSignal } from "../termination.ts";
import { markTextCalls } from "../text-tools.ts";
import { createUtf8Decoder } from "../text/utf8-decoder.ts";
import { defineClosing } from "./closing.ts";
import type { ClosingSource } from "./closing.ts";
import { defineMarkerFrame } from "./marker-frame.ts";
import type { GenerationPlan } from "./plan.ts";
import type { ResidentModel } from "./resident-model.ts";
import { toEvaluateOptions } from "./sampling.ts";
import type { SamplingState } from "./sampling.ts";
import { sharedTokens } from "./sequence-pool.ts";
import type { Lease } from "./sequence-pool.ts";
import { ThinkingWatch } from "./thinking.ts";
import { createToolCallReader } from "./tool-call-blocks.ts";
import { jsonVerdict, wholeJson } from "./whole-json.ts";

/** How many tokens of a prompt are read in one go: a stop takes effect between two of them. */
const PROMPT_STEP = 128;

/** One answer of a resident model, from the prompt's first token to the answer's last. */
export class LocalGeneration {
  readonly watch: ThinkingWatch;
  readonly #resident: ResidentModel;
  readonly #plan: GenerationPlan;
  readonly #decoder = createUtf8Decoder();
  readonly #written: Token[] = [];
  #cachedTokens = 0;
  #endsLine = true;

  constructor(resident: ResidentModel, plan: GenerationPlan) {
    this.#resident = resident;
    this.#plan = plan;
    const { thinkingBudget: budgetTokens, startsInThinking: startsInside } = plan;
    this.watch = new ThinkingWatch(resident.vocabulary.thinking, { budgetTokens, startsInside });
  }

  /** What the tokens go through: thinking apart, calls apart, stop rules, and the counts at the end. */
  stage(createCallId: () => string): Stage<GenerationEvent, GenerationEvent> {
    const { vocabulary, template } = this.#resident;
    const { startsInThinking: startsInReasoning, showThinking, rules, grammar } = this.#plan;
    const { readsToolCalls, oneCall, textTools } = this.#plan;
    const { thinking, toolCalls, endTokenIds } = vocabulary;
    const splitter = thinking
      ? defineReasoningSplitter({ tokenMarkers: thinking, startsInReasoning })
      : template.thinkingMarkers.length > 0
        ? defineReasoningSplitter({ markers: template.thinkingMarkers })
        : undefined;
    const frame = defineMarkerFrame(idsOf(thinking), readsToolCalls ? idsOf(toolCalls) : []);
    const head = splitter ? compose(splitter, frame) : frame;
    const tail = defineClosing(this.#closingSource(), showThinking);
    const guard = defineGuard(rules);
    if (grammar !== undefined) return compose(head, compose(wholeJson, compose(guard, compose(jsonVerdict, tail))));
    if (!readsToolCalls || toolCalls === undefined) return compose(head, compose(guard, tail));
    const reader = createToolCallReader({ markers: toolCalls, endTokenIds, createCallId, oneCall });
    const calls = compose(reader.blocks, compose(markTextCalls(textTools), compose(guard, reader.verdict)));
    return compose(head, compose(calls, tail));
  }

  /** Reads the prompt into a sequence and generates, token by token, until nobody asks for the next one. */
  async *tokens(place: Lease, signal: AbortSignal): AsyncGenerator<GenerationEvent, void, undefined> {
    const { lockstep, contextTokens } = this.#resident;
    const { sequence } = place;
    const unread = await this.#readPrompt(place, signal);
    const opening = [...this.#endOfThinking(), ...this.#plan.opening];
    if (this.#plan.prompt.length + opening.length >= contextTokens) {
      yield contextFull(contextTokens);
      return;
    }
    for (const token of opening) yield this.#write(token);
    const written = this.#written;
    const options = toEvaluateOptions(this.#plan.sampling, { written, grammar: this.#createGrammarChoice() });
    const answer = sequence.evaluate([...unread, ...opening], options);
    try {
      // The first call takes no token; every later one puts the last token into the context, and more where forced.
      for (let input: Token[] = []; ;) {
        if (sequence.nextTokenIndex + input.length >= contextTokens) {
          yield contextFull(contextTokens);
          return;
        }
        const { value: token, done } = await lockstep.step(place.number, () => {
          // Others were waited for, and meanwhile nobody may want the next token any more.
          signal.throwIfAborted();
          return answer.next(input);
        });
        if (done === true) return;
        yield this.#write(token);
        const forced = this.#endOfThinking();
        input = [token, ...forced];
        // What the model would not get to read is not written.
        const fits = sequence.nextTokenIndex + input.length < contextTokens;
        if (fits) for (const next of forced) yield this.#write(next);
      }
    } finally {
      await answer.return();
    }
  }

  /** Brings a sequence up to the prompt's last tokens, which it returns unread: their result is the first token. */
  async #readPrompt({ number, sequence }: Lease, signal: AbortSignal): Promise<Token[]> {
    const { prompt } = this.#plan;
    const shared = Math.min(sharedTokens(sequence, prompt), prompt.length - 1);
    if (sequence.nextTokenIndex > shared) {
      await sequence.eraseContextTokenRanges([{ start: shared, end: sequence.nextTokenIndex }]);
    }
    // Some kinds of model cannot forget a part and have forgotten everything.
    let position = Math.min(sequence.nextTokenIndex, shared);
    this.#cachedTokens = position;
    for (; prompt.length - position > PROMPT_STEP; position += PROMPT_STEP) {
      signal.throwIfAborted();
      const part = prompt.slice(position, position + PROMPT_STEP);
      await this.#resident.lockstep.step(number, () => sequence.evaluateWithoutGeneratingNewTokens(part));
    }
    signal.throwIfAborted();
    return prompt.slice(position);
  }

  /** The grammar for each next token: none while thinking, one without an end while the answer must not end. */
  #createGrammarChoice(): SamplingState["grammar"] {
    const { grammar, noEndBefore } = this.#plan;
    const endless = noEndBefore > 0 ? this.#resident.grammars.withoutEnd() : undefined;
    return () => {
      if (grammar !== undefined) return this.watch.isInside ? undefined : grammar;
      return this.#written.length < noEndBefore ? endless : undefined;
    };
  }

  #write(token: Token): GenerationEvent {
    this.#written.push(token);
    this.watch.read(token);
    const text = this.#decoder.push(this.#resident.vocabulary.bytesOf(token));
    if (text !== "") this.#endsLine = text.endsWith("\n");
    return { type: "text", text, tokenIds: [token] };
  }

  /** The tokens that close the thinking, once it has to end; not in the middle of a character. */
  #endOfThinking(): readonly Token[] {
    const { vocabulary, literal } = this.#resident;
    if (!this.watch.isOver || this.#decoder.isPending || vocabulary.thinking === undefined) return [];
    const { lastWords } = this.#plan;
    const before = `${this.#endsLine ? "" : "\n"}${lastWords === "" ? "" : `${literal.protect(lastWords)}\n`}`;
    return this.#resident.tokenize(`${before}${vocabulary.thinking.close}\n\n`);
  }

  #closingSource(): ClosingSource {
    const { watch } = this;
    return {
      usage: () => this.#usage(),
      takeRest: () => this.#decoder.end(),
      get isThinking() {
        return watch.isInside;
      },
    };
  }

  #usage(): Usage {
    return {
      inputTokens: this.#plan.prompt.length,
      outputTokens: this.#written.length,
      cachedInputTokens: this.#cachedTokens,
      reasoningTokens: this.watch.tokens,
    };
  }
}

function idsOf(markers: { readonly openId: number; readonly closeId: number } | undefined): readonly number[] {
  return markers === undefined ? [] : [markers.openId, markers.closeId];
}

function contextFull(contextTokens: number): GenerationEvent {
  const signal = createTerminationSignal({
    reason: "context_window_exceeded",
    originalField: "context_tokens",
    originalValue: String(contextTokens),
    message: "The context window is full",
  });
  return { type: "finish", signal };
}
