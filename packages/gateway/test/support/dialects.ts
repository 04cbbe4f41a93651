import { REQUEST_FORMATS, WIRE_FORMATS } from "fullstop/wire";

/** The dialects that are spoken on both sides of the gateway. */
export type Dialect = keyof typeof WIRE_FORMATS;

/** Every dialect that is spoken on both sides of the gateway. */
export const DIALECTS = Object.keys(WIRE_FORMATS) as readonly Dialect[];

/** The dialects in which the gateway asks. */
export type AskedDialect = keyof typeof REQUEST_FORMATS;

/** Every dialect in which the gateway asks. */
export const ASKED_DIALECTS = Object.keys(REQUEST_FORMATS) as readonly AskedDialect[];
