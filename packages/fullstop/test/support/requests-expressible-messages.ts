import type { AssistantMessage, ImagePart, Message, TextPart, ToolMessage } from "../../src/request.ts";

/** Notes a field of which the writer has to say something. */
export type Note = (field: string) => void;

type UserPart = TextPart | ImagePart;
type AssistantPart = AssistantMessage["content"][number];

/** What Chat Completions can say of a message. */
export function chatMessage(item: Message, path: string, all: readonly Message[], note: Note): Message {
  const place = placer(path);
  if (item.role === "system") return item;
  if (item.role === "user") {
    return { ...item, content: withoutImages(item.content, path, note, ({ source }) => source.type === "file") };
  }
  if (item.role === "tool") {
    const content = withoutImages(item.content, path, note, () => true);
    return resultWithoutFlags(item, path, all, note, content);
  }
  const firstCall = item.content.findIndex((part) => part.type === "tool-call");
  for (const [index, part] of item.content.entries()) {
    if (part.type === "reasoning") note(place(index));
    if (part.type === "text" && firstCall !== -1 && index > firstCall) note(place(index));
    if (part.type === "tool-call" && part.signature !== undefined) note(`${place(index)}.signature`);
  }
  const texts = item.content.filter((part) => part.type === "text");
  const calls = item.content.filter((part) => part.type === "tool-call").map(unsigned);
  return { ...item, content: [...texts, ...calls] };
}

/** What Responses can say of a message. */
export function responsesMessage(item: Message, path: string, all: readonly Message[], note: Note): Message {
  const place = placer(path);
  if (item.role === "system") return item;
  if (item.role === "user") return { ...item, content: withoutImages(item.content, path, note, () => false) };
  if (item.role === "tool") {
    const said = withoutImages(item.content, path, note, () => false);
    return resultWithoutFlags(item, path, all, note, said);
  }
  const content = item.content.map((part, index): AssistantPart => {
    if (part.type === "tool-call" && part.signature !== undefined) note(`${place(index)}.signature`);
    if (part.type === "reasoning" && part.redacted === true) note(`${place(index)}.redacted`);
    return part.type === "tool-call" ? unsigned(part) : unredacted(part);
  });
  return { ...item, content };
}

/** What Messages can say of a message. */
export function anthropicMessage(
  item: Message,
  path: string,
  all: readonly Message[],
  note: Note,
): Message | undefined {
  const place = placer(path);
  const bare = (content: readonly UserPart[]): UserPart[] =>
    content.flatMap((part, index): UserPart[] => {
      if (part.type === "text") return noEmptyText(part, place(index), note);
      for (const name of ["mediaType", "detail"] as const)
        if (part[name] !== undefined) note(`${place(index)}.${name}`);
      return [{ type: "image", source: part.source }];
    });
  if (item.role === "tool") {
    const { name, ...others } = item;
    if (name !== undefined && nameOfCall(item.callId, all) !== name) note(`${path}.name`);
    return { ...others, content: bare(item.content) };
  }
  if (item.role !== "assistant") return { ...item, content: bare(item.content) } as Message;
  const content = item.content.flatMap((part, index): AssistantPart[] => {
    if (part.type === "text") return noEmptyText(part, place(index), note);
    if (part.type === "tool-call") {
      if (part.signature !== undefined) note(`${place(index)}.signature`);
      return [unsigned(part)];
    }
    if (part.type === "opaque" || part.signature !== undefined) return [part];
    note(place(index));
    return [];
  });
  return { ...item, content };
}

/** What Gemini can say of a message. */
export function geminiMessage(item: Message, path: string, all: readonly Message[], note: Note): Message | undefined {
  const place = placer(path);
  const image = (part: ImagePart, at: string): ImagePart => {
    const { detail: closeness, ...others } = part;
    if (part.source.type !== "data" && part.mediaType === undefined) note(`${at}.mediaType`);
    if (closeness === "original") note(`${at}.detail`);
    return ["low", "medium", "high"].includes(closeness ?? "") ? part : others;
  };
  if (item.role === "tool") {
    const { isError, ...others } = item;
    const name = item.name ?? nameOfCall(item.callId, all);
    if (name === undefined) note(`${path}.name`);
    const firstImage = item.content.findIndex((part) => part.type === "image");
    const firstText = item.content.findIndex((part) => part.type === "text");
    for (const [index, part] of item.content.entries()) {
      const isMoved = firstImage !== -1 && index > firstImage;
      if (part.type === "text" && (isMoved || index > firstText)) note(place(index));
    }
    const texts = item.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const images = item.content.flatMap((part, index) => (part.type === "image" ? [image(part, place(index))] : []));
    const joined = texts.join("\n");
    return {
      ...others,
      name: name ?? item.callId,
      content: [...(joined === "" ? [] : [{ type: "text" as const, text: joined }]), ...images],
      ...(isError === true ? { isError } : {}),
    };
  }
  const content = item.content.flatMap((part, index): (UserPart | AssistantPart)[] => {
    if (part.type === "text") return noEmptyText(part, place(index), note);
    if (part.type === "image") return [image(part, place(index))];
    if (part.type === "tool-call" || part.type === "opaque") return [part];
    if (part.redacted === true) note(`${place(index)}.redacted`);
    return [unredacted(part)];
  });
  return { ...item, content } as Message;
}

/** Instructions in one message at the front; messages of which nothing is left are gone. */
export function systemFirst(
  messages: readonly Message[],
  note: Note,
  express: (item: Message, path: string) => Message | undefined,
): readonly Message[] {
  const system: TextPart[] = [];
  const turns: Message[] = [];
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
    if (expressed.role === "tool" || expressed.content.length > 0) turns.push(expressed);
  }
  return system.length === 0 ? turns : [{ role: "system", content: system }, ...turns];
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

/** Without images that cannot be said, and without what OpenAI does not say about the others. */
function withoutImages(
  content: readonly UserPart[],
  path: string,
  note: Note,
  isMissing: (image: ImagePart) => boolean,
): UserPart[] {
  return content.flatMap((part, index): UserPart[] => {
    if (part.type === "text") return [part];
    const at = `${path}.content[${index}]`;
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

function noEmptyText(part: TextPart, path: string, note: Note): TextPart[] {
  if (part.text !== "") return [part];
  note(path);
  return [];
}

function unsigned<T extends object>(part: T): T {
  const copy = { ...part };
  Reflect.deleteProperty(copy, "signature");
  return copy;
}

function unredacted<T extends object>(part: T): T {
  const copy = { ...part };
  Reflect.deleteProperty(copy, "redacted");
  return copy;
}
