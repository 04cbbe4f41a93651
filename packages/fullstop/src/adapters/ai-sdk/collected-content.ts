import type {
  LanguageModelV4Content,
  LanguageModelV4Reasoning,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";

/** A tool call whose arguments did not come to their end. It must not be run. */
export interface CutCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** As much of the arguments as has come. */
  readonly input: string;
}

type Block = LanguageModelV4Text | LanguageModelV4Reasoning;

/** Puts the parts of a stream together into the content that a whole answer has. */
export class CollectedContent {
  readonly #content: LanguageModelV4Content[] = [];
  readonly #blocks = new Map<string, Block>();
  readonly #inputs = new Map<string, { readonly toolName: string; input: string }>();

  push(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
        this.#begin(`text ${part.id}`, { type: "text", text: "" }, part.providerMetadata);
        break;
      case "reasoning-start":
        this.#begin(`reasoning ${part.id}`, { type: "reasoning", text: "" }, part.providerMetadata);
        break;
      case "text-delta":
        this.#extend(`text ${part.id}`, part.delta, part.providerMetadata);
        break;
      case "reasoning-delta":
        this.#extend(`reasoning ${part.id}`, part.delta, part.providerMetadata);
        break;
      case "text-end": {
        const block = this.#extend(`text ${part.id}`, "", part.providerMetadata);
        if (block?.type === "text" && part.citations !== undefined) block.citations = part.citations;
        break;
      }
      case "reasoning-end":
        this.#extend(`reasoning ${part.id}`, "", part.providerMetadata);
        break;
      case "tool-input-start":
        this.#inputs.set(part.id, { toolName: part.toolName, input: "" });
        break;
      case "tool-input-delta": {
        const call = this.#inputs.get(part.id);
        if (call !== undefined) call.input += part.delta;
        break;
      }
      case "tool-call":
        this.#inputs.delete(part.toolCallId);
        this.#content.push(part);
        break;
      case "tool-result":
        // One that is not the last is replaced by the one that follows it.
        if (part.preliminary !== true) this.#content.push(part);
        break;
      case "tool-approval-request":
      case "custom":
      case "file":
      case "reasoning-file":
      case "source":
        this.#content.push(part);
        break;
      default:
        break;
    }
  }

  /** What has come, in its order. A block of text in which there is none is left out. */
  get content(): LanguageModelV4Content[] {
    return this.#content.filter((part) => part.type !== "text" || part.text !== "");
  }

  get text(): string {
    return this.#textOf("text");
  }

  get reasoning(): string {
    return this.#textOf("reasoning");
  }

  /** Calls that the SDK would have to carry out; providers carry some out themselves. */
  get completeCalls(): number {
    return this.#content.filter((part) => part.type === "tool-call" && part.providerExecuted !== true).length;
  }

  get cutCalls(): readonly CutCall[] {
    return [...this.#inputs].map(([toolCallId, { toolName, input }]) => ({ toolCallId, toolName, input }));
  }

  #textOf(type: Block["type"]): string {
    let text = "";
    for (const part of this.#content) if (part.type === type && "text" in part) text += part.text;
    return text;
  }

  #begin(key: string, block: Block, metadata: SharedV4ProviderMetadata | undefined): void {
    if (metadata !== undefined) block.providerMetadata = metadata;
    this.#content.push(block);
    this.#blocks.set(key, block);
  }

  /** The last metadata of a block holds: proofs of thinking come with its end. */
  #extend(key: string, text: string, metadata: SharedV4ProviderMetadata | undefined): Block | undefined {
    const block = this.#blocks.get(key);
    if (block === undefined) return undefined;
    block.text += text;
    if (metadata !== undefined) block.providerMetadata = metadata;
    return block;
  }
}
