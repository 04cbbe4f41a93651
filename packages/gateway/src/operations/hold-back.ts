import type { GenerationEvent, Stage } from "fullstop";
import { charactersOf } from "fullstop/engines";

/**
 * Measures how long a guard holds text back: from when the first held character came to when it left. Text that a
 * stop string swallowed never left and is not measured. Where nothing is held, a piece costs two additions and no look
 * at the clock.
 */
export function measureHoldBack(
  guard: Stage<GenerationEvent, GenerationEvent>,
  observe: (milliseconds: number) => void,
  now: () => number = () => performance.now(),
): Stage<GenerationEvent, GenerationEvent> {
  return (next) => {
    /** How many characters have gone in and not come out. */
    let held = 0;
    let hasLeft = false;
    let since: number | undefined;

    /** Text leaves in the order in which it came, so whatever leaves begins with what was held. */
    function settle(): void {
      if (since !== undefined && hasLeft) {
        observe(now() - since);
        since = undefined;
      }
      if (held > 0) since ??= now();
    }

    const inner = guard({
      push(event) {
        const size = charactersOf(event);
        if (size > 0) {
          held -= size;
          hasLeft = true;
        }
        next.push(event);
      },
      end: () => next.end(),
    });
    return {
      push(event) {
        held += charactersOf(event);
        hasLeft = false;
        inner.push(event);
        if (held > 0 || since !== undefined) settle();
      },
      end() {
        hasLeft = false;
        inner.end();
        settle();
      },
    };
  };
}
