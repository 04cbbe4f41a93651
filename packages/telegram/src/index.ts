export { formatMarkdown } from "./text/format-markdown.ts";
export { MESSAGE_LIMIT } from "./text/formatted-text.ts";
export type { FormattedText } from "./text/formatted-text.ts";
export { splitFormatted } from "./text/split-formatted.ts";
export type { SplitOptions } from "./text/split-formatted.ts";
