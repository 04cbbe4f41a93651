import type { MessageEntity } from "grammy/types";
import { lookOf, visibleDraft } from "./state.ts";
import type { ChatState, Look, StoredMessage, StoredPress, Topic, World } from "./state.ts";

/** What a transcript shows beside what is on the screen now. */
export interface TranscriptOptions {
  /** Only this topic. */
  readonly topic?: Topic;
  /** Also how messages looked before they were edited, and those that were deleted. */
  readonly history?: boolean;
}

/** A conversation as a person sees it: message by message, in plain text, without ids and times. */
export function writeTranscript(world: World, chat: ChatState, options: TranscriptOptions = {}): string {
  const { topic, history = false } = options;
  const entries = chat.timeline
    .filter((entry) => topic === undefined || entry.topic === topic)
    .filter((entry) => history || entry.kind === "press" || !entry.isGone)
    .map((entry) => (entry.kind === "press" ? writePress(entry) : writeMessage(chat, entry, history)));
  const places = topic === undefined ? [undefined, ...chat.topics] : [topic];
  const drafts = places.flatMap((place) => writeDraft(world, chat, place));
  return `${[titleOf(world, chat), ...entries, ...drafts].join("\n\n")}\n`;
}

function titleOf(world: World, { chat }: ChatState): string {
  return chat.type === "private" ? `# ${chat.first_name} and ${world.bot.first_name}` : `# ${chat.title}`;
}

function writeMessage(chat: ChatState, message: StoredMessage, history: boolean): string {
  const reply = message.replyTo === undefined ? "" : `, in reply to "${shortened(lookOf(message.replyTo).text)}"`;
  const head = `${message.from.first_name}${placeOf(chat, message.topic)}${reply}:`;
  const looks = history ? message.looks : message.looks.slice(-1);
  const bodies = looks.map((look, index) => `${index === 0 ? "" : "  (edited)\n"}${writeLook(look)}`);
  return [head, ...bodies, ...(message.isGone ? ["  (deleted)"] : [])].join("\n");
}

function writePress({ by, label, toast }: StoredPress): string {
  const answer = toast === undefined || toast.text === "" ? "" : ` -> ${toast.isAlert ? "alert " : ""}"${toast.text}"`;
  return `* ${by.first_name} presses [${label}]${answer}`;
}

function writeDraft(world: World, chat: ChatState, topic: Topic | undefined): readonly string[] {
  const draft = visibleDraft(world, chat, topic);
  if (draft === undefined) return [];
  const text = draft.text === "" ? "Thinking…" : renderEntities(draft.text, draft.entities);
  const stop = draft.canStop ? "\n  [stop]" : "";
  return [`${world.bot.first_name}${placeOf(chat, topic)} is writing:\n${indented(text)}${stop}`];
}

function placeOf(chat: ChatState, topic: Topic | undefined): string {
  if (topic !== undefined) return ` in "${topic.name}"`;
  return chat.hasTopics && chat.chat.type !== "private" ? " in General" : "";
}

function writeLook({ text, entities, keyboard }: Look): string {
  const rows = keyboard.map((row) => `  ${row.map((button) => `[${button.text}]`).join(" ")}`);
  return [indented(renderEntities(text, entities)), ...rows].join("\n");
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

function shortened(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  const letters = [...line];
  return letters.length > 40 || line !== text ? `${letters.slice(0, 40).join("")}…` : line;
}

const MARKS: Readonly<Record<string, string>> = {
  bold: "**",
  italic: "_",
  underline: "__",
  strikethrough: "~~",
  spoiler: "||",
  code: "`",
};

/** Text with its entities written much like Markdown. */
export function renderEntities(text: string, entities: readonly MessageEntity[]): string {
  const isQuote = ({ type }: MessageEntity): boolean => type === "blockquote" || type === "expandable_blockquote";
  const inner = entities.filter((entity) => !isQuote(entity));
  const parts: string[] = [];
  let at = 0;
  for (const quote of entities.filter(isQuote)) {
    parts.push(renderInline(text, inner, at, quote.offset), breakAt(text, quote.offset));
    at = quote.offset + quote.length;
    const lines = renderInline(text, inner, quote.offset, at).replaceAll(/^/gm, "> ");
    parts.push(quote.type === "blockquote" ? lines : `> (collapsed)\n${lines}`, breakAt(text, at));
  }
  return [...parts, renderInline(text, inner, at, text.length)].join("");
}

/** A quote stands on lines of its own, whatever the text has around it. */
function breakAt(text: string, at: number): string {
  const isEdge = at === 0 || at === text.length;
  return isEdge || text[at - 1] === "\n" || text[at] === "\n" ? "" : "\n";
}

function renderInline(text: string, entities: readonly MessageEntity[], start: number, end: number): string {
  const opened = new Map<number, string[]>();
  const closed = new Map<number, string[]>();
  for (const entity of entities) {
    const from = Math.max(start, entity.offset);
    const to = Math.min(end, entity.offset + entity.length);
    const [before, after] = marksOf(entity);
    if (from >= to || before + after === "") continue;
    // Entities are in order, the outer ones first, so the marks of inner ones go inside.
    opened.set(from, [...(opened.get(from) ?? []), before]);
    closed.set(to, [after, ...(closed.get(to) ?? [])]);
  }
  const edges = [...new Set([start, ...opened.keys(), ...closed.keys(), end])].sort((one, other) => one - other);
  return edges
    .map((edge, index) => {
      const marks = [...(closed.get(edge) ?? []), ...(opened.get(edge) ?? [])].join("");
      return marks + text.slice(edge, index + 1 < edges.length ? edges[index + 1] : edge);
    })
    .join("");
}

function marksOf(entity: MessageEntity): readonly [string, string] {
  if (entity.type === "pre") return [`\`\`\`${entity.language ?? ""}\n`, "\n```"];
  if (entity.type === "text_link") return ["[", `](${entity.url})`];
  const mark = MARKS[entity.type] ?? "";
  return [mark, mark];
}
