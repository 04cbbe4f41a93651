import { invalidArgument } from "../../errors.ts";
import { asksForForeignTool, callableTools, isAmongSome } from "../../callable-tools.ts";
import type { PlainToolChoice } from "../../callable-tools.ts";
import type { AllowedTools, GenerationRequest, OutputShape, ToolDefinition } from "../../request.ts";
import { asFunction, warningsOfText } from "../../text-tools.ts";
import type { RequestTarget, WireFormatName } from "../format.ts";
import { hasNativeTools } from "./native.ts";
import type { BodyObject, BodyValue } from "./reader.ts";
import type { RequestWarnings } from "./warnings.ts";
import { unlessNone } from "./values.ts";

/** The model of a request: what the body says, else what the address says. */
export function readModel(body: BodyObject, target: RequestTarget): string {
  const model = body.field("model")?.name() ?? target.model;
  if (typeof model !== "string" || model === "") throw invalidArgument("model", "must be the name of a model", model);
  return model;
}

/** Reads a list of messages or items that must not be empty. */
export function readConversation(value: BodyValue): readonly BodyValue[] {
  const items = value.list();
  if (items.length === 0) throw value.refuse("must not be empty");
  return items;
}

/** Reads stop strings where one may stand without a list around it. */
export function readStop(value: BodyValue | undefined): readonly string[] | undefined {
  return typeof value?.raw === "string" ? [value.name()] : readStopStrings(value);
}

/** Reads a list of stop strings. */
export function readStopStrings(value: BodyValue | undefined): readonly string[] | undefined {
  return unlessNone(value?.list().map((item) => item.name()));
}

/** Reads the caller's labels, each a string. */
export function readLabels(value: BodyValue | undefined): Readonly<Record<string, string>> | undefined {
  const entries = value?.object().entries() ?? [];
  if (entries.length === 0) return undefined;
  // Unlike an assignment this makes an own field also of a label called `__proto__`.
  return Object.fromEntries(entries.map(([name, label]) => [name, label.string()]));
}

/** Warns where a provider takes fewer stop strings than there are; all of them are sent all the same. */
export function warnOfManyStops(stop: readonly string[] | undefined, most: number, warnings: RequestWarnings): void {
  if (stop === undefined || stop.length <= most) return;
  warnings.add("stop", `The provider takes at most ${most} stop strings; all ${stop.length} are sent.`);
}

/** Warns of sampling settings that a dialect does not have. */
export function warnOfSampling(
  { sampling = {} }: GenerationRequest,
  missing: readonly (keyof NonNullable<GenerationRequest["sampling"]>)[],
  warnings: RequestWarnings,
): void {
  for (const name of missing) {
    if (sampling[name] !== undefined) {
      warnings.add(`sampling.${name}`, "The dialect has no such setting; it was left out.");
    }
  }
}

/**
 * Warns of what a schema is for, which dialects with nothing but the schema cannot say. Its name is a label that the
 * other dialects insist on, and here the model is held to every schema.
 */
export function warnOfSchemaDescription(
  { description }: OutputShape & { readonly type: "json-schema" },
  warnings: RequestWarnings,
): void {
  if (description === undefined) return;
  warnings.add("output.description", "The dialect knows the schema only; it was left out.");
}

/** Warns that a provider which never keeps a conversation cannot be told to. */
export function warnOfStore({ store }: GenerationRequest, warnings: RequestWarnings): void {
  if (store === true) warnings.add("store", "The provider does not keep conversations; it was left out.");
}

/** Refuses fields by which a request refers to a conversation that is kept elsewhere: without it the answer is wrong. */
export function refuseStoredConversation(body: BodyObject, names: readonly string[]): void {
  for (const name of names) {
    const field = body.field(name);
    if (field !== undefined)
      throw field.refuse("must be absent, because the whole conversation has to be in the request");
  }
}

/** A tool as it is sent. */
export interface SentTool {
  readonly tool: ToolDefinition;
  /** Where it stands in the request, which may have more than are sent. */
  readonly path: string;
}

/** The tools that are sent of a request, and what it says about their use. */
export interface ToolSettings {
  readonly tools: readonly SentTool[];
  readonly toolChoice?: PlainToolChoice | undefined;
  /** The names of those that the choice is among, where it is not among all that are sent. */
  readonly allowed?: readonly string[] | undefined;
  readonly parallelToolCalls?: boolean | undefined;
}

/** What a provider can be told of tools beyond what every one understands. Default: nothing. */
export interface ToolWords {
  /** Whether a choice among some of them is understood. */
  readonly tellsSome?: ((choice: AllowedTools) => boolean) | undefined;
  /** Whether those that take plain text are. */
  readonly tellsText?: boolean | undefined;
}

/**
 * The tools that are sent and the settings for them. Whoever is told a choice among some of them gets all tools, so that
 * what is cached stays cached; everybody else gets only those that may be called. The settings are left out with a
 * warning where there are no tools: every provider refuses them then.
 */
export function toolSettingsOf(
  request: GenerationRequest,
  format: WireFormatName,
  warnings: RequestWarnings,
  { tellsSome = () => false, tellsText = false }: ToolWords = {},
): ToolSettings {
  warnOfUndeclared(request, format, warnings);
  const hasOthers = hasNativeTools(request, format);
  const { parallelToolCalls } = request;
  const asked: GenerationRequest = asksForForeignTool(request, format) ? { ...request, toolChoice: "none" } : request;
  const chosen = chooseTools(asked, hasOthers, tellsSome);
  if (!tellsText) for (const { field, message } of warningsOfText(request)) warnings.add(field, message);
  const tools = tellsText ? chosen.tools : chosen.tools.map(({ tool, path }) => ({ tool: asFunction(tool), path }));
  const settings: ToolSettings = { parallelToolCalls, ...chosen, tools };
  if (settings.tools.length > 0 || hasOthers) return settings;
  for (const name of ["toolChoice", "parallelToolCalls"] as const) {
    if (settings[name] !== undefined) warnings.add(name, "It says nothing without tools and was left out.");
  }
  return { tools: [] };
}

function chooseTools(
  request: GenerationRequest,
  hasOthers: boolean,
  tellsSome: (choice: AllowedTools) => boolean,
): ToolSettings {
  const { tools = [], toolChoice } = request;
  const all = tools.map((tool, index): SentTool => ({ tool, path: `tools[${index}]` }));
  if (!isAmongSome(toolChoice)) return { tools: all, toolChoice };
  const { allowed, mode } = toolChoice;
  if (tellsSome(toolChoice)) return { tools: all, toolChoice: mode, allowed };
  // Every dialect has a word for this, and the tools that were called before stay known.
  if (allowed.length === 0 && mode === "auto" && !hasOthers) return { tools: all, toolChoice: "none" };
  const callable = new Set(callableTools(request).tools);
  return { tools: all.filter(({ tool }) => callable.has(tool)), toolChoice: mode };
}

/** Warns of tools that may be called and are not there, unless one of the provider's own may be a group of them. */
function warnOfUndeclared(request: GenerationRequest, format: WireFormatName, warnings: RequestWarnings): void {
  const { toolChoice, tools = [] } = request;
  if (!isAmongSome(toolChoice) || hasNativeTools(request, format)) return;
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, name] of toolChoice.allowed.entries()) {
    if (!names.has(name)) warnings.add(`toolChoice.allowed[${index}]`, "The request has no tool of this name.");
  }
}
