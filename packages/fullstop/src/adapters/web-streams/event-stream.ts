import { invalidArgument } from "../../errors.ts";
import type { Sink, Stage } from "../../stage.ts";

/**
 * Creates a transform out of a stage, for `pipeThrough`: bytes into events with a wire format's `decodeStream`, events
 * into events with a guard, events into frames. Compose stages first and make one transform of them, because each costs
 * more than all stages together. When the stage has ended, as a guard does with its finish, the readable side closes and
 * the source is cancelled.
 *
 * ```ts
 * const events = response.body.pipeThrough(
 *   createEventStream(compose(openaiChat.decodeStream(), defineGuard({ stop: ["END"] }))),
 * );
 * ```
 */
export function createEventStream<In, Out>(stage: Stage<In, Out>): TransformStream<In, Out> {
  if (typeof stage !== "function") throw invalidArgument("stage", "must be a stage, such as defineGuard makes", stage);
  let sink: Sink<In>;
  let state: "open" | "ended" | "flushing" = "open";
  return new TransformStream<In, Out>({
    start(controller) {
      sink = stage({
        push: (value) => controller.enqueue(value),
        end() {
          // A source that has come to its end needs no other.
          if (state !== "open") return;
          state = "ended";
          controller.terminate();
        },
      });
    },
    transform(value) {
      if (state === "open") sink.push(value);
    },
    flush() {
      if (state !== "open") return;
      state = "flushing";
      sink.end();
    },
  });
}
