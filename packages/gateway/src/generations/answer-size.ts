import { createTerminationSignal } from "fullstop";
import type { TerminationSignal } from "fullstop";

/** The end of an answer that is larger than the gateway holds. */
export function tooLargeSignal(answerBytes: number): TerminationSignal {
  return createTerminationSignal({
    reason: "budget_exceeded",
    detail: "size",
    originalField: "answer_bytes",
    originalValue: String(answerBytes),
    message: `The answer is larger than the ${answerBytes} bytes that the gateway holds of one (limits.maxAnswerBytes)`,
  });
}
