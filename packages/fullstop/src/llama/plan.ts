import type { LlamaGrammarEvaluationState, Token } from "node-llama-cpp";
import { callableTools } from "../callable-tools.ts";
import type { PlainToolChoice } from "../callable-tools.ts";
import { FullstopError } from "../errors.ts";
import { compileRules } from "../stop/request-rules.ts";
import type { StopRules } from "../stop/stop-rules.ts";
import type { Message, ToolDefinition } from "../request.ts";
import { asFunction, textToolsOf } from "../text-tools.ts";
import type { TemplateSettings } from "./chat-template.ts";
import { refuse } from "./refusal.ts";
import { checkReasoning, checkSampling, putOver } from "./request.ts";
import type { LlamaRequest, LlamaRules, LlamaSampling } from "./request.ts";
import type { ResidentModel } from "./resident-model.ts";

/** What an engine does where a request says nothing. */
export interface RequestDefaults {
  readonly sampling: LlamaSampling;
  readonly rules: LlamaRules;
}

/** Everything about one generation that can be settled before it starts. */
export interface GenerationPlan {
  readonly prompt: readonly Token[];
  /** How the answer has to begin, where that is prescribed. */
  readonly opening: readonly Token[];
  readonly startsInThinking: boolean;
  readonly thinkingBudget: number | undefined;
  readonly lastWords: string;
  readonly showThinking: boolean;
  readonly readsToolCalls: boolean;
  /** The names of the tools that take plain text. */
  readonly textTools: ReadonlySet<string>;
  readonly oneCall: boolean;
  readonly rules: StopRules;
  /** The number of tokens before which the model cannot end its answer. */
  readonly noEndBefore: number;
  readonly sampling: LlamaSampling;
  readonly grammar: LlamaGrammarEvaluationState | undefined;
}

/** How a request reads to a model. */
interface PlannedPrompt extends Pick<GenerationPlan, "prompt" | "opening" | "grammar"> {
  readonly tools: readonly ToolDefinition[];
  readonly isThoughtless: boolean;
}

/** Counts the tokens that a request has to be read as, also where they are more than fit; refuses what is no request. */
export async function countPrompt(request: LlamaRequest, resident: ResidentModel): Promise<number> {
  asRequest(() => checkReasoning(request.reasoning ?? {}));
  return (await planPrompt(request, resident)).prompt.length;
}

/** Settles what a request means for a model, or refuses it with the reason. */
export async function planGeneration(
  request: LlamaRequest,
  resident: ResidentModel,
  defaults: RequestDefaults,
): Promise<GenerationPlan> {
  const { reasoning = {} } = request;
  const sampling = putOver(defaults.sampling, request.sampling);
  const rules = putOver(defaults.rules, request.rules);
  const stopRules = asRequest(() => {
    checkSampling(sampling);
    checkReasoning(reasoning);
    const { stop, maxOutputTokens: maxTokens } = request;
    return compileRules(rules, { stop, maxTokens, eosTokenIds: resident.vocabulary.endTokenIds });
  });
  const { prompt, opening, grammar, tools, isThoughtless } = await planPrompt(request, resident);
  checkLength(prompt.length + opening.length, resident.contextTokens);
  return {
    prompt,
    opening,
    startsInThinking: endsInThinking(prompt, resident),
    // A template that opens the thinking whatever it is asked for is overruled.
    thinkingBudget: isThoughtless ? 0 : reasoning.budgetTokens,
    lastWords: reasoning.lastWords ?? "",
    showThinking: reasoning.show ?? true,
    readsToolCalls: tools.length > 0,
    textTools: textToolsOf(request),
    oneCall: request.parallelToolCalls === false,
    rules: stopRules,
    noEndBefore: rules.ignoreEos === true ? Number.POSITIVE_INFINITY : (rules.minTokens ?? 0),
    sampling,
    grammar,
  };
}

async function planPrompt(request: LlamaRequest, resident: ResidentModel): Promise<PlannedPrompt> {
  const { messages, reasoning = {}, output = { type: "text" } } = request;
  const { tools: callable, toolChoice = "auto" } = callableTools(request);
  const tools = toolChoice === "none" ? [] : callable.map(asFunction);
  checkTools(tools, toolChoice, resident);
  if (tools.length > 0 && output.type !== "text") {
    throw refuse("invalid_request", "A local model takes either tools or an output shape in one request, not both");
  }
  const grammar = await resident.grammars.forOutput(output);
  const beginning = prescribedBeginning(toolChoice, tools, resident);
  // A grammar is for the whole of an answer, of which half is written here.
  const begun = grammar === undefined ? begunAnswer(messages) : "";
  // A prescribed beginning, one that is written already, and a grammar leave no room for thinking before them.
  const isThoughtless =
    reasoning.effort === "none" ||
    reasoning.budgetTokens === 0 ||
    begun !== "" ||
    beginning !== "" ||
    grammar !== undefined;
  const settings = { thinking: isThoughtless ? false : undefined, tools };
  const prompt = writePrompt(begun === "" ? messages : messages.slice(0, -1), begun, settings, resident);
  const opening = resident.tokenize(beginning);
  return { prompt, opening, grammar, tools, isThoughtless };
}

/**
 * The text of an answer that a conversation ends with, which is to be gone on with. A call in it has no result yet, and
 * an answer that goes on behind it would be another one.
 */
function begunAnswer(messages: readonly Message[]): string {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.content.some(({ type }) => type === "tool-call")) return "";
  return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function writePrompt(
  messages: readonly Message[],
  begun: string,
  settings: TemplateSettings,
  resident: ResidentModel,
): Token[] {
  const { template, vocabulary, contextTokens, literal, tokenize } = resident;
  const text = template.render(messages, settings);
  // Far too long a text is not worth the seconds that it takes to find out how much too long.
  const least = Math.ceil((text.length + begun.length) / vocabulary.longestToken);
  checkLength(least, contextTokens, "at least ");
  const prompt = tokenize(text);
  if (begun === "") return prompt;
  // Some templates open the thinking whatever they are asked for; what is begun is the answer.
  const { close = "" } = endsInThinking(prompt, resident) ? (vocabulary.thinking ?? {}) : {};
  return prompt.concat(tokenize(close + literal.protect(begun)));
}

/** What is wrong with settings is the request's fault here, not the programmer's. */
function asRequest<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof FullstopError ? refuse("invalid_request", error.message) : error;
  }
}

function checkTools(tools: readonly ToolDefinition[], choice: PlainToolChoice, resident: ResidentModel): void {
  const name = typeof choice === "object" ? choice.name : undefined;
  if (tools.length === 0) {
    if (choice === "required" || name !== undefined) {
      throw refuse("invalid_request", "toolChoice asks for a tool call, but the request has no tools");
    }
    return;
  }
  if (!resident.template.takesTools || resident.vocabulary.toolCalls === undefined) {
    throw refuse("invalid_request", `The model ${resident.name} cannot call tools: its chat template knows of none`);
  }
  if (name !== undefined && !tools.some((tool) => tool.name === name)) {
    const names = tools.map((tool) => tool.name).join(", ");
    throw refuse("invalid_request", `toolChoice names the tool "${name}", but the tools are ${names}`);
  }
}

/** The beginning of an answer that has to be a tool call. */
function prescribedBeginning(
  choice: PlainToolChoice,
  tools: readonly ToolDefinition[],
  resident: ResidentModel,
): string {
  const open = resident.vocabulary.toolCalls?.open;
  if (tools.length === 0 || open === undefined || choice === "auto" || choice === "none") return "";
  const name = prescribedName(choice, tools);
  // Cut where the model's own tokens are cut, too: it has never seen the other ways.
  return name === undefined
    ? `${open}\n{"name":`
    : `${open}\n{"name": ${resident.literal.protect(JSON.stringify(name))}, "arguments":`;
}

/** The tool that has to be called, if that is settled. A small model makes up a name also where there is only one. */
function prescribedName(choice: PlainToolChoice, tools: readonly ToolDefinition[]): string | undefined {
  if (typeof choice === "object") return choice.name;
  return tools.length === 1 ? tools[0]?.name : undefined;
}

function checkLength(tokens: number, contextTokens: number, about = ""): void {
  // The last place of a context is not used, and one is needed for the answer.
  if (tokens < contextTokens - 1) return;
  const problem = `The prompt has ${about}${tokens} tokens and the model's context holds ${contextTokens}`;
  throw refuse("context_window", `${problem}; shorten the conversation`);
}

/** Whether the prompt has opened the thinking already, as some templates do. */
function endsInThinking(prompt: readonly number[], { vocabulary }: ResidentModel): boolean {
  const { thinking } = vocabulary;
  return thinking !== undefined && prompt.lastIndexOf(thinking.openId) > prompt.lastIndexOf(thinking.closeId);
}
