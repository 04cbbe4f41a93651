/**
 * Tells the caller of an end. What goes wrong there, at once or later, must not take the answer along; and a rejection
 * that nobody hears of would end the whole process in Node.
 */
export function tell(call: () => unknown): void {
  try {
    Promise.resolve(call()).catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  console.warn("fullstop: onFinish threw:", error);
}
