import { WIRE_FORMATS } from "fullstop/wire";

/** The dialects that are spoken on both sides of the gateway. */
export type Dialect = keyof typeof WIRE_FORMATS;

/** Every dialect that is spoken on both sides of the gateway. */
export const DIALECTS = Object.keys(WIRE_FORMATS) as readonly Dialect[];
