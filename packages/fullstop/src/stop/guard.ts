import type { Channel, GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import { StopMachine } from "./stop-machine.ts";
import { toStopRules } from "./stop-rules.ts";
import type { StopRuleOptions, StopRules } from "./stop-rules.ts";

/** Where text is being written: a channel, and within tool arguments the call they belong to. */
interface Place {
  readonly channel: Channel;
  readonly callId: string | undefined;
}

/**
 * Applies stop rules to a stream of events. What may be shown passes at once, what could be the beginning of a
 * stop string is held back until that is decided, and when a rule ends the generation its finish follows and
 * everything after it is dropped. At every other ending the held text leaves first. Text and its tokens are taken
 * apart here, so token ids do not travel on.
 */
export function defineGuard(rules: StopRules | StopRuleOptions): Stage<GenerationEvent, GenerationEvent> {
  const compiled = toStopRules(rules);
  return (next) => {
    const machine = new StopMachine(compiled);
    let isFinished = false;
    let place: Place = { channel: "text", callId: undefined };

    /** Whoever is shown a piece may end the generation while it is, and gets nothing after that either. */
    function pass(event: GenerationEvent): void {
      if (!isFinished) next.push(event);
    }

    function write(text: string): void {
      if (text === "") return;
      const { channel, callId } = place;
      if (channel !== "tool-arguments") pass({ type: channel, text });
      else if (callId !== undefined) pass({ type: "tool-call-delta", callId, json: text });
    }

    /** Goes to another channel or call. What was held back cannot become a match any more. */
    function enter(channel: Channel, callId: string | undefined): void {
      if (place.channel === channel && place.callId === callId) return;
      write(machine.leave());
      place = { channel, callId };
    }

    function finish(event: GenerationEvent | undefined): void {
      if (isFinished) return;
      isFinished = true;
      if (event !== undefined) next.push(event);
      next.end();
    }

    /** The finish of a rule, once one has ended the generation. */
    function ending(): GenerationEvent | undefined {
      const { signal } = machine;
      return signal && { type: "finish", signal };
    }

    return {
      push(event) {
        if (isFinished) return;
        switch (event.type) {
          case "text":
          case "reasoning": {
            // A source that fills both fields in each of its pieces leaves one of them empty.
            if (event.text === "" && event.tokenIds === undefined) {
              // A proof is for the thinking before it. That somebody has skipped it cuts no text in two.
              if ("signature" in event) write(machine.leave());
              else if (!("skipped" in event)) return;
              pass(event);
              return;
            }
            enter(event.type, undefined);
            const shown = machine.feed(event.type, event.text, event.tokenIds);
            if (shown === event.text && event.tokenIds === undefined) pass(event);
            else write(shown);
            break;
          }
          case "tool-call-delta":
            if (event.json === "" && event.tokenIds === undefined) return;
            enter("tool-arguments", event.callId);
            write(machine.feed("tool-arguments", event.json, event.tokenIds, event.callId));
            break;
          case "tool-call-start":
          case "opaque":
            write(machine.leave());
            pass(event);
            break;
          case "tool-call-end":
            write(machine.leave());
            machine.forgetCall(event.callId);
            pass(event);
            break;
          case "finish":
            write(machine.leave());
            finish(event);
            return;
          default:
            // Nothing that a rule looks at: text before and after a citation is one text.
            pass(event);
            break;
        }
        if (machine.signal !== undefined) finish(ending());
      },
      end() {
        if (isFinished) return;
        write(machine.leave());
        finish(ending());
      },
    };
  };
}
