export { MESSAGE_LIMIT } from "./text/formatted-text.ts";
export type { FormattedText } from "./text/formatted-text.ts";
