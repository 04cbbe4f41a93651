import type {
  AssistantMessage,
  ImagePart,
  Message,
  OpaquePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../../src/request.ts";

import type { DialectName } from "./requests.ts";

/** Notes a field of which the writer has to say something. */
export type Note = (field: string) => void;

/** A message and where it stood. */
export interface At<T extends Message = Message> {
  readonly item: T;
  readonly path: string;
}

type UserPart = UserMessage["content"][number];
type AssistantPart = AssistantMessage["content"][number];
type Express = (item: Message, path: string) => Message | undefined;

/** What Chat Completions can say of messages. Whatever the model adds to its calls becomes one message with them. */
export function chatMessages(messages: readonly Message[], note: Note): readonly Message[] {
  const written: Message[] = [];
  let calling: { texts: TextPart[]; calls: ToolCallPart[] } | undefined;
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`;
    const place = placer(path);
    if (item.role !== "assistant") {
      calling = undefined;
      written.push(chatMessage(item, path, messages, note));
      continue;
    }
    const group = calling ?? { texts: [], calls: [] };
    for (const [at, part] of item.content.entries()) {
      if (part.type === "reasoning") note(place(at));
      if (part.type === "text" && group.calls.length > 0) note(place(at));
      if (part.type === "text") group.texts.push(part);
      if (part.type !== "tool-call") continue;
      if (part.signature !== undefined) note(`${place(at)}.signature`);
      group.calls.push(unsigned(part));
    }
    const whole: Message = { role: "assistant", content: [...group.texts, ...group.calls] };
    if (whole.content.every((part) => part.type === "text" && part.text === "" && part.native === undefined)) {
      if (item.content.every(({ type }) => type === "text")) note(path);
      continue;
    }
    if (calling === undefined) written.push(whole);
    else written[written.length - 1] = whole;
    calling = group.calls.length > 0 ? group : undefined;
  }
  return written;
}

function chatMessage(
  item: Exclude<Message, AssistantMessage>,
  path: string,
  all: readonly Message[],
  note: Note,
): Message {
  if (item.role === "system") return item;
  if (item.role === "user") {
    return {
      ...item,
      content: withoutImages(item.content, "openai-chat", path, note, ({ source }) => source.type === "file"),
    };
  }
  const content = withoutImages(item.content, "openai-chat", path, note, () => true);
  return resultWithoutFlags(item, path, all, note, content);
}

/** What Responses can say of a message. */
export function responsesMessage(
  item: Message,
  path: string,
  all: readonly Message[],
  note: Note,
): Message | undefined {
  const place = placer(path);
  const isElsewhere = ({ source }: ImagePart): boolean => isInStore(source, ["file_1", "files/x"]);
  if (item.role === "system") return item;
  if (item.role === "user")
    return { ...item, content: withoutImages(item.content, "openai-responses", path, note, isElsewhere) };
  if (item.role === "tool") {
    const said = withoutImages(item.content, "openai-responses", path, note, isElsewhere);
    return resultWithoutFlags(item, path, all, note, said);
  }
  const content = item.content.flatMap((part, index): AssistantPart[] => {
    if (part.type === "reasoning")
      return signedThinking(part, "openai-responses", place(index), note).map((own) => {
        if (own.redacted === true) note(`${place(index)}.redacted`);
        return unredacted(own);
      });
    if (part.type !== "tool-call") return [part];
    if (part.signature !== undefined) note(`${place(index)}.signature`);
    return [unsigned(part)];
  });
  return content.length === 0 && item.content.length > 0 ? undefined : { role: "assistant", content };
}

/** What Messages can say of a message. */
export function anthropicMessage(
  item: Message,
  path: string,
  all: readonly Message[],
  note: Note,
): Message | undefined {
  const place = placer(path);
  const spell = (id: string): string => id.replaceAll(/[.:]/g, "_");
  const noBlank = (part: TextPart, at: string): TextPart[] => noText(part, /^\s*$/, at, note);
  const bare = (content: readonly UserPart[]): UserPart[] =>
    content.flatMap((part, index): UserPart[] => {
      if (part.type === "text") return noBlank(part, place(index));
      if (part.type === "opaque") return ownOnly(part, "anthropic-messages", place(index), note);
      if (isInStore(part.source, ["file-1", "files/x"])) {
        note(place(index));
        return [];
      }
      for (const name of ["mediaType", "detail"] as const)
        if (part[name] !== undefined) note(`${place(index)}.${name}`);
      const { mediaType: _, detail: __, ...others } = part;
      return [others];
    });
  if (item.role === "tool") {
    const { name, ...others } = item;
    if (name !== undefined && nameOfCall(item.callId, all) !== name) note(`${path}.name`);
    return { ...others, callId: spell(item.callId), content: bare(item.content) };
  }
  if (item.role !== "assistant") return { ...item, content: bare(item.content) } as Message;
  const content = item.content.flatMap((part, index): AssistantPart[] => {
    if (part.type === "text") return noBlank(part, place(index));
    if (part.type === "reasoning") return signedThinking(part, "anthropic-messages", place(index), note);
    if (part.type === "opaque") return [part];
    if (part.signature !== undefined) note(`${place(index)}.signature`);
    return [{ ...unsigned(part), callId: spell(part.callId) }];
  });
  return { role: "assistant", content };
}

/** What Gemini can say of a message. */
export function geminiMessage(item: Message, path: string, all: readonly Message[], note: Note): Message | undefined {
  const place = placer(path);
  if (item.role === "tool") return geminiResult(item, path, all, note);
  const content = item.content.flatMap((part, index): (UserPart | AssistantPart)[] => {
    const at = place(index);
    if (part.type === "text") return noText(part, /^$/, at, note);
    if (part.type === "image") return geminiImage(part, at, ["low", "medium", "high"], note);
    if (part.type === "opaque") return ownOnly(part, "gemini", at, note);
    if (part.type === "tool-call") {
      const called = { ...part, json: part.json.trim() === "" ? "{}" : part.json };
      if (part.signature === undefined || isOwn(part, "gemini")) return [signedAs(called, "gemini")];
      note(`${at}.signature`);
      return [unsigned(called)];
    }
    const isForeign = part.signature !== undefined && !isOwn(part, "gemini");
    if (isForeign) note(part.text === "" ? at : `${at}.signature`);
    if (isForeign && part.text === "") return [];
    if (part.redacted === true) note(`${at}.redacted`);
    return [unredacted(isForeign ? unsigned(part) : signedAs(part, "gemini"))];
  });
  return { role: item.role, content } as Message;
}

function geminiImage(part: ImagePart, at: string, details: readonly string[], note: Note): ImagePart[] {
  if (isInStore(part.source, ["file-1", "file_1"])) {
    note(at);
    return [];
  }
  const { detail: closeness = "auto", ...others } = part;
  if (part.source.type !== "data" && part.mediaType === undefined) note(`${at}.mediaType`);
  if (details.includes(closeness)) return [part];
  if (closeness !== "auto") note(`${at}.detail`);
  return [others];
}

function geminiResult(item: ToolMessage, path: string, all: readonly Message[], note: Note): ToolMessage {
  const place = placer(path);
  const { isError, ...others } = item;
  const name = item.name ?? nameOfCall(item.callId, all);
  if (name === undefined) note(`${path}.name`);
  const texts: string[] = [];
  const images: UserPart[] = [];
  for (const [index, part] of item.content.entries()) {
    if (part.type !== "text") {
      const isImage = part.type === "image";
      const own = isImage ? geminiImage(part, place(index), [], note) : ownOnly(part, "gemini", place(index), note);
      images.push(...own);
      continue;
    }
    if (images.length > 0 || texts.length > 0) note(place(index));
    texts.push(part.text);
  }
  const joined = texts.join("\n");
  return {
    ...others,
    name: name ?? item.callId,
    content: [...(joined === "" ? [] : [{ type: "text" as const, text: joined }]), ...images],
    ...(isError === true ? { isError } : {}),
  };
}

/** Instructions in one message at the front; messages of which nothing is left are gone. */
export function systemFirst(messages: readonly Message[], note: Note, express: Express): readonly At[] {
  const system: TextPart[] = [];
  const turns: At[] = [];
  let hasBegun = false;
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`;
    const expressed = express(item, path);
    if (item.role === "system") {
      if (hasBegun) note(path);
      system.push(...((expressed?.content ?? []) as TextPart[]));
      continue;
    }
    hasBegun = true;
    if (expressed === undefined) continue;
    if (expressed.role !== "tool" && item.content.length === 0) note(path);
    if (expressed.role === "tool" || expressed.content.length > 0) turns.push({ item: expressed, path });
  }
  return system.length === 0 ? turns : [{ item: { role: "system", content: system }, path: "" }, ...turns];
}

/** The turns of users with the results of tools at their front. */
export function resultsFirst(turns: readonly At[], note: Note): readonly Message[] {
  const ordered: Message[] = [];
  let said: Message[] = [];
  for (const { item, path } of turns) {
    if (item.role === "user") said.push(item);
    else if (item.role === "tool") {
      if (said.length > 0) note(path);
      ordered.push(item);
    } else {
      ordered.push(...said, item);
      said = [];
    }
  }
  return [...ordered, ...said];
}

/** Makes one message of those that follow each other in one of the given roles. */
export function joinNeighbours(messages: readonly Message[], roles: readonly string[]): readonly Message[] {
  const joined: Message[] = [];
  for (const item of messages) {
    const last = joined.at(-1);
    if (last?.role !== item.role || !roles.includes(item.role)) joined.push(item);
    else joined[joined.length - 1] = { ...last, content: [...last.content, ...item.content] } as Message;
  }
  return joined;
}

/** A part that only one dialect has, if it is this one. */
function ownOnly(part: OpaquePart, dialect: DialectName, at: string, note: Note): OpaquePart[] {
  if (part.format === dialect) return [part];
  note(at);
  return [];
}

/** Without images that cannot be said, and without what OpenAI does not say about the others. */
function withoutImages(
  content: readonly UserPart[],
  dialect: DialectName,
  path: string,
  note: Note,
  isMissing: (image: ImagePart) => boolean,
): UserPart[] {
  return content.flatMap((part, index): UserPart[] => {
    if (part.type === "text") return [part];
    const at = `${path}.content[${index}]`;
    if (part.type === "opaque") return ownOnly(part, dialect, at, note);
    if (isMissing(part)) {
      note(at);
      return [];
    }
    const { mediaType, detail: closeness, ...others } = part;
    if (mediaType !== undefined) note(`${at}.mediaType`);
    return [closeness === undefined || closeness === "auto" ? others : { ...others, detail: closeness }];
  });
}

function resultWithoutFlags(
  { name, isError, ...others }: ToolMessage,
  path: string,
  all: readonly Message[],
  note: Note,
  content: UserPart[],
): ToolMessage {
  if (name !== undefined && nameOfCall(others.callId, all) !== name) note(`${path}.name`);
  if (isError === true) note(`${path}.isError`);
  return { ...others, content };
}

function nameOfCall(id: string, all: readonly Message[]): string | undefined {
  const parts = all.flatMap((item): readonly AssistantPart[] => (item.role === "assistant" ? item.content : []));
  return parts.filter((part) => part.type === "tool-call").findLast((call) => call.callId === id)?.name;
}

function placer(path: string): (index: number) => string {
  return (index) => `${path}.content[${index}]`;
}

function noText(part: TextPart, pattern: RegExp, path: string, note: Note): TextPart[] {
  if (!pattern.test(part.text)) return [part];
  note(path);
  return [];
}

function isInStore(source: ImagePart["source"], ids: readonly string[]): boolean {
  return source.type === "file" && ids.includes(source.id);
}

function isOwn({ signature, signedBy }: ReasoningPart | ToolCallPart, dialect: string): boolean {
  return signature !== undefined && (signedBy === undefined || signedBy === dialect);
}

/** Thinking where it has to be signed by the provider itself. */
function signedThinking(part: ReasoningPart, dialect: string, path: string, note: Note): ReasoningPart[] {
  if (isOwn(part, dialect)) return [signedAs(part, dialect)];
  note(path);
  return [];
}

function signedAs<T extends ReasoningPart | ToolCallPart>(part: T, dialect: string): T {
  return part.signature === undefined ? part : { ...part, signedBy: dialect };
}

function unsigned<T extends ReasoningPart | ToolCallPart>(part: T): T {
  const copy = { ...part, ...(part.type === "tool-call" && part.json.trim() === "" && { json: "{}" }) };
  Reflect.deleteProperty(copy, "signature");
  Reflect.deleteProperty(copy, "signedBy");
  return copy;
}

function unredacted<T extends object>(part: T): T {
  const copy = { ...part };
  Reflect.deleteProperty(copy, "redacted");
  return copy;
}
