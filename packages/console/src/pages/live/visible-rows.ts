import { useEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** Rows beyond the edges that are rendered, too, so that fast scrolling shows no gaps. */
const EXTRA = 8;

/** Which rows of a long list are rendered, and how much room the others take. */
export interface VisibleRows {
  readonly first: number;
  /** The one after the last. */
  readonly end: number;
  readonly before: number;
  readonly after: number;
}

/** Finds out which of many rows of one height can be seen in a box. */
export function visibleRows(scrollTop: number, height: number, rowHeight: number, count: number): VisibleRows {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - EXTRA);
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + EXTRA);
  return { first, end, before: first * rowHeight, after: (count - end) * rowHeight };
}

/** Follows the scrolling of a box of rows. */
export function useVisibleRows(box: RefObject<HTMLElement | null>, rowHeight: number, count: number): VisibleRows {
  const [place, setPlace] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const look = (): void => setPlace({ top: current.scrollTop, height: current.clientHeight });
    look();
    current.addEventListener("scroll", look, { passive: true });
    const size = new ResizeObserver(look);
    size.observe(current);
    return () => {
      current.removeEventListener("scroll", look);
      size.disconnect();
    };
  }, [box]);
  return visibleRows(place.top, place.height, rowHeight, count);
}
