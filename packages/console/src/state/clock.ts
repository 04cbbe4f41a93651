/*
 * The gateway says when things have begun by its own clock, and the one of whoever looks may be wrong.
 */

/** Clocks that are closer than this are the same: a gateway tells whole seconds, and an answer takes its time. */
const TOLERANCE = 3000;

/** How far the gateway's clock is ahead of this one, in milliseconds. */
let lead = 0;

/** Learns what time it is for the gateway, from the header `date` of an answer. */
export function learnTime(date: string | null): void {
  const difference = Date.parse(date ?? "") - Date.now();
  if (Number.isNaN(difference)) return;
  lead = Math.abs(difference) < TOLERANCE ? 0 : difference;
}

/** What time it is for the gateway. */
export function gatewayTime(): number {
  return Date.now() + lead;
}
