import type {
  GenerationRequest,
  JsonObject,
  Message,
  NativeFields,
  ReasoningSettings,
  ToolDefinition,
} from "../../src/request.ts";
import { withDistinctCallIds } from "../../src/wire/requests/distinct-calls.ts";
import type { DialectName } from "./requests.ts";
import {
  anthropicMessage,
  chatMessages,
  geminiMessage,
  joinNeighbours,
  responsesMessage,
  resultsFirst,
  systemFirst,
} from "./requests-expressible-messages.ts";
import type { Note } from "./requests-expressible-messages.ts";

/** What is left of a request in a dialect, and the fields of which its writer has to say something. */
export interface Expressed {
  readonly request: GenerationRequest;
  readonly noted: ReadonlySet<string>;
}

/**
 * What a dialect can say of a request, written down as plainly as possible. Some things change without a word,
 * because they mean the same: neighbouring messages that become one, a tool's name that its call tells as well, how
 * the id of a call is spelt and one that several calls have, no arguments that become an empty object, and what is said
 * that holds anyway.
 */
export function expressible(dialect: DialectName, given: GenerationRequest): Expressed {
  const noted = new Set<string>();
  const note = (field: string): void => void noted.add(field);
  const request = withoutForeign(given, dialect, note);
  const { model, stream, parallelToolCalls, stop, sampling, output, metadata, user } = request;
  const express = EXPRESS[dialect];
  const { tools = [], toolChoice } = expressChoice(request, express.tellsSome, note);
  const settings = { toolChoice, parallelToolCalls };
  if (tools.length === 0) {
    for (const name of ["toolChoice", "parallelToolCalls"] as const) {
      if (settings[name] !== undefined) note(name);
      settings[name] = undefined;
    }
  }
  const written: GenerationRequest = {
    model,
    stream,
    messages: express.messages(withDistinctCallIds(request.messages), note),
    tools: ifSome(
      tools.map((definition) => express.tool(definition, `tools[${request.tools?.indexOf(definition)}]`, note)),
    ),
    ...express.toolSettings(settings, note),
    ...express.reasoning(request, note),
    stop: express.stop(stop, note),
    sampling: withoutKeys(sampling, express.missingSampling, "sampling", note),
    output: express.output(output, note),
    metadata: express.metadata(metadata, note),
    store: express.store(request.store, note),
    // Only where it has to be asked for.
    streamUsage: dialect === "openai-chat" && stream === true && request.streamUsage !== false ? true : undefined,
    user: express.user(user, note),
    native: request.native,
  };
  const reconciled = dialect === "anthropic-messages" ? reconcileThinking(written, note) : written;
  return { request: withoutUndefined(reconciled), noted };
}

/** Without what only another dialect has. */
function withoutForeign(request: GenerationRequest, dialect: DialectName, note: Note): GenerationRequest {
  const strip = <T extends { readonly native?: NativeFields | undefined }>(item: T, path: string): T => {
    if (item.native === undefined || item.native.format === dialect) return item;
    for (const name of Object.keys(item.native.fields)) note(path + name);
    const { native: _, ...others } = item;
    return others as T;
  };
  const messages = request.messages.map((message, index): Message => {
    const path = `messages[${index}].`;
    const content = message.content.map((part, at) =>
      "native" in part ? strip(part, `${path}content[${at}].`) : part,
    );
    const copy = { ...message, content } as Message;
    return copy.role === "tool" ? strip(copy, path) : copy;
  });
  const tools = request.tools?.map((tool, index) => strip(tool, `tools[${index}].`));
  return strip({ ...request, messages, tools }, "");
}

/**
 * The tools and the choice among them. Where it cannot be told that only some may be called, nobody is sent the others,
 * and where none may be, that is a choice of its own.
 */
function expressChoice(
  { tools = [], toolChoice }: GenerationRequest,
  tellsSome: Express["tellsSome"],
  note: Note,
): Pick<GenerationRequest, "tools" | "toolChoice"> {
  if (typeof toolChoice !== "object" || "name" in toolChoice) return { tools, toolChoice };
  const { allowed, mode } = toolChoice;
  for (const [index, name] of allowed.entries()) {
    if (!tools.some((tool) => tool.name === name)) note(`toolChoice.allowed[${index}]`);
  }
  if (allowed.length === 0 && mode === "auto") return { tools, toolChoice: "none" };
  if (allowed.length > 0 && tellsSome(mode)) return { tools, toolChoice };
  return { tools: tools.filter(({ name }) => allowed.includes(name)), toolChoice: mode };
}

interface Express {
  /** Whether it can be told that only some tools may be called, and whether one has to be. */
  readonly tellsSome: (mode: "auto" | "required") => boolean;
  messages(messages: readonly Message[], note: Note): readonly Message[];
  tool(tool: ToolDefinition, path: string, note: Note): ToolDefinition;
  toolSettings(settings: ToolSettings, note: Note): ToolSettings;
  reasoning(request: GenerationRequest, note: Note): Pick<GenerationRequest, "reasoning" | "maxOutputTokens">;
  stop(stop: GenerationRequest["stop"], note: Note): GenerationRequest["stop"];
  readonly missingSampling: readonly string[];
  output(output: GenerationRequest["output"], note: Note): GenerationRequest["output"];
  metadata(metadata: GenerationRequest["metadata"], note: Note): GenerationRequest["metadata"];
  store(store: boolean | undefined, note: Note): boolean | undefined;
  user(user: string | undefined, note: Note): string | undefined;
}

type ToolSettings = Pick<GenerationRequest, "toolChoice" | "parallelToolCalls">;

const same = <T>(value: T): T => value;

const namedSchema: Express["output"] = (output) =>
  output?.type === "json-schema" ? { name: "output", ...output } : output;

const bareSchema: Express["output"] = (output, note) => {
  if (output?.type !== "json-schema") return output;
  if (output.description !== undefined) note("output.description");
  return { type: "json-schema", schema: output.schema };
};

const upTo =
  (most: number): Express["stop"] =>
  (stop, note) => {
    if (stop !== undefined && stop.length > most) note("stop");
    return stop;
  };

const EXPRESS: Readonly<Record<DialectName, Express>> = {
  "openai-chat": {
    tellsSome: () => true,
    messages: chatMessages,
    tool: same,
    toolSettings: same,
    reasoning: ({ reasoning, maxOutputTokens }, note) => {
      if (reasoning?.show === true) note("reasoning.show");
      return { reasoning: ifAny({ effort: effortOnly(reasoning, note) }), maxOutputTokens };
    },
    stop: upTo(4),
    missingSampling: ["topK"],
    output: namedSchema,
    metadata: same,
    store: same,
    user: same,
  },
  "openai-responses": {
    tellsSome: () => true,
    messages: (messages, note) =>
      joinNeighbours(
        messages.flatMap((item, index) => responsesMessage(item, `messages[${index}]`, messages, note) ?? []),
        ["assistant"],
      ),
    tool: (definition) => ({ ...definition, strict: definition.strict ?? false }),
    toolSettings: same,
    reasoning: ({ reasoning, maxOutputTokens }, note) => ({
      reasoning: ifAny({ effort: effortOnly(reasoning, note), show: reasoning?.show === true ? true : undefined }),
      maxOutputTokens,
    }),
    stop: (stop, note) => {
      if (stop !== undefined) note("stop");
      return undefined;
    },
    missingSampling: ["topK", "presencePenalty", "frequencyPenalty", "seed"],
    output: namedSchema,
    metadata: same,
    store: same,
    user: same,
  },
  "anthropic-messages": {
    tellsSome: () => false,
    messages: (messages, note) =>
      joinNeighbours(
        resultsFirst(
          systemFirst(messages, note, (item, path) => anthropicMessage(item, path, messages, note)),
          note,
        ),
        ["assistant", "user"],
      ),
    tool: (definition, path, note) => {
      const { parameters = { type: "object" }, strict } = definition;
      return {
        ...definition,
        parameters: strict === true ? closed(parameters, `${path}.parameters`, note) : parameters,
      };
    },
    toolSettings: ({ toolChoice, parallelToolCalls }, note) => {
      if (parallelToolCalls === undefined) return { toolChoice };
      if (toolChoice !== "none") return { toolChoice: toolChoice ?? "auto", parallelToolCalls };
      note("parallelToolCalls");
      return { toolChoice };
    },
    reasoning: anthropicReasoning,
    stop: (stop = [], note) => {
      for (const [index, text] of stop.entries()) if (/^\s*$/.test(text)) note(`stop[${index}]`);
      const taken = stop.filter((text) => !/^\s*$/.test(text));
      return taken.length === 0 ? undefined : taken;
    },
    missingSampling: ["presencePenalty", "frequencyPenalty", "seed"],
    output: (output, note) => {
      if (output?.type === "json") note("output");
      if (output?.type !== "json-schema") return undefined;
      return bareSchema({ ...output, schema: closed(output.schema, "output.schema", note) }, note);
    },
    metadata: (metadata, note) => {
      if (metadata !== undefined) note("metadata");
      return undefined;
    },
    store: (store, note) => {
      if (store === true) note("store");
      return undefined;
    },
    user: same,
  },
  gemini: {
    tellsSome: (mode) => mode === "required",
    messages: (messages, note) =>
      joinNeighbours(
        systemFirst(messages, note, (item, path) => geminiMessage(item, path, messages, note)).map(({ item }) => item),
        ["assistant"],
      ),
    tool: ({ strict, ...definition }, path, note) => {
      if (strict === true) note(`${path}.strict`);
      return definition;
    },
    toolSettings: ({ toolChoice, parallelToolCalls }, note) => {
      if (parallelToolCalls !== undefined) note("parallelToolCalls");
      // One that may be called and has to be is the one that has to be.
      const isOne = typeof toolChoice === "object" && "allowed" in toolChoice && toolChoice.allowed.length === 1;
      return { toolChoice: isOne ? { name: toolChoice.allowed[0]! } : toolChoice };
    },
    reasoning: geminiReasoning,
    stop: upTo(5),
    missingSampling: [],
    output: bareSchema,
    metadata: (metadata = {}, note) => {
      const labels = Object.entries(metadata).filter(([name, value]) => {
        const isLabel =
          /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u.test(name) && /^[\p{Ll}\p{Lo}\p{N}_-]*$/u.test(value);
        if (!isLabel) note(`metadata.${name}`);
        return isLabel;
      });
      return labels.length === 0 ? undefined : Object.fromEntries(labels);
    },
    store: same,
    user: (user, note) => {
      if (user !== undefined) note("user");
      return undefined;
    },
  },
};

function effortOnly(reasoning: ReasoningSettings | undefined, note: Note): string | undefined {
  const { effort, budgetTokens } = reasoning ?? {};
  if (budgetTokens === undefined) return effort;
  if (effort !== undefined || budgetTokens > 0) note("reasoning.budgetTokens");
  const efforts = { 0: "none", 1: "minimal", 1024: "minimal", 3000: "medium", 30_000: "max", 100_000: "max" };
  return effort ?? efforts[budgetTokens as keyof typeof efforts];
}

function anthropicReasoning(
  { reasoning, maxOutputTokens }: GenerationRequest,
  note: Note,
): ReturnType<Express["reasoning"]> {
  const { effort, budgetTokens, show } = reasoning ?? {};
  const wanted = budgetTokens ?? 0;
  const raised = wanted === 0 ? 0 : Math.max(wanted, 1024);
  const limit = maxOutputTokens ?? 4096 + raised;
  if (maxOutputTokens === undefined) note("maxOutputTokens");
  if (reasoning === undefined) return { maxOutputTokens: limit };
  if (effort === "minimal" || (effort === "none" && wanted > 0)) note("reasoning.effort");
  const word = effort === "none" ? undefined : effort === "minimal" ? "low" : effort;
  if (budgetTokens === undefined && effort !== "none") {
    return { reasoning: withoutUndefined({ effort: word, show }), maxOutputTokens: limit };
  }
  const budget = Math.min(raised, limit - 1) < 1024 ? 0 : Math.min(raised, limit - 1);
  if (budget !== wanted) note("reasoning.budgetTokens");
  if (budget === 0 && show === true) note("reasoning.show");
  // Who asks for thinking with a budget sees it unless told otherwise.
  const shown = budget === 0 ? undefined : (show ?? true);
  const possible = budget === 0 && wanted > 0 ? withoutThinking(word, note) : word;
  return {
    reasoning: withoutUndefined({ effort: possible, budgetTokens: budget, show: shown }),
    maxOutputTokens: limit,
  };
}

/** The greatest efforts are for thinking. */
function withoutThinking(effort: string | undefined, note: Note): string | undefined {
  if (effort !== "max" && effort !== "xhigh") return effort;
  note("reasoning.effort");
  return "high";
}

/** Thinking goes with neither a tool that has to be called nor calls without thinking; sampling goes not with it. */
function reconcileThinking(request: GenerationRequest, note: Note): GenerationRequest {
  const { reasoning, toolChoice } = request;
  const isForced = toolChoice === "required" || typeof toolChoice === "object";
  const hasBudget = (reasoning?.budgetTokens ?? 0) > 0;
  const isAsked = reasoning !== undefined && (hasBudget || reasoning.budgetTokens === undefined);
  const isRefused = isAsked && (isForced || (hasBudget && !beginsWithThinking(request.messages)));
  if (isRefused) note("reasoning");
  const effort = isRefused ? withoutThinking(reasoning.effort, note) : undefined;
  const refused = { ...(effort !== undefined && { effort }), budgetTokens: 0 };
  return {
    ...request,
    reasoning: isRefused ? refused : reasoning,
    sampling: anthropicSampling(request.sampling ?? {}, isAsked && !isRefused, note),
  };
}

/** Whether the turn of the model's that the next words have to follow begins with thinking. */
function beginsWithThinking(messages: readonly Message[]): boolean {
  const lastOther = messages.findLastIndex(({ role }) => role === "assistant" || role === "system");
  const answer = messages[lastOther];
  const following = messages.slice(lastOther + 1);
  const isFollowed = following.length === 0 || following.some(({ role }) => role === "tool");
  return answer?.role !== "assistant" || !isFollowed || answer.content[0]?.type === "reasoning";
}

function anthropicSampling(
  { temperature, topP, topK }: NonNullable<GenerationRequest["sampling"]>,
  thinks: boolean,
  note: Note,
): GenerationRequest["sampling"] {
  if (thinks && topK !== undefined) note("sampling.topK");
  if (thinks && topP !== undefined && topP !== 1) note("sampling.topP");
  const wanted = temperature === undefined ? undefined : Math.max(0, Math.min(1, temperature));
  if (temperature !== wanted || (thinks && temperature !== undefined && temperature !== 1))
    note("sampling.temperature");
  if (!thinks) return ifAny({ temperature: wanted, topP, topK });
  return ifAny({ temperature: temperature === 1 ? 1 : undefined, topP: topP === 1 ? 1 : undefined });
}

/** The schemas of these tests have one object, which is open or closed. */
function closed(schema: JsonObject, path: string, note: Note): JsonObject {
  if (schema["additionalProperties"] !== false) note(path);
  return { ...schema, additionalProperties: false };
}

function geminiReasoning(
  { reasoning, maxOutputTokens }: GenerationRequest,
  note: Note,
): ReturnType<Express["reasoning"]> {
  if (reasoning === undefined) return { maxOutputTokens };
  const { effort, budgetTokens, show } = reasoning;
  if (budgetTokens !== undefined || effort === "none") {
    const isSame = effort === "none" && (budgetTokens ?? 0) === 0;
    if (effort !== undefined && !isSame) note("reasoning.effort");
    return { reasoning: withoutUndefined({ budgetTokens: budgetTokens ?? 0, show }), maxOutputTokens };
  }
  const isBeyond = effort === "xhigh" || effort === "max";
  if (isBeyond) note("reasoning.effort");
  return { reasoning: withoutUndefined({ effort: isBeyond ? "high" : effort, show }), maxOutputTokens };
}

function withoutKeys<T extends object>(
  value: T | undefined,
  names: readonly string[],
  path: string,
  note: Note,
): T | undefined {
  if (value === undefined) return undefined;
  const copy = { ...value };
  for (const name of names) {
    if (name in copy) note(`${path}.${name}`);
    Reflect.deleteProperty(copy, name);
  }
  return ifAny(copy);
}

function ifSome<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

function ifAny<T extends object>(value: T): T | undefined {
  const copy = withoutUndefined(value);
  return Object.keys(copy).length === 0 ? undefined : copy;
}
