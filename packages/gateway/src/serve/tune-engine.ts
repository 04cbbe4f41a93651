import { setFlagsFromString } from "node:v8";

/**
 * Tells V8 how a server wants to be run, which differs from what a page in a browser wants. To be called before
 * anything else is done, because code that is compiled already stays as it is.
 */
export function tuneEngine(): void {
  // All new objects are made where V8 looks for dead ones most often. By itself it makes those of a place in the code
  // that lasted for long where it hardly looks: when five hundred clients come at once, all that is written waits for a
  // connection, and from then on what is written of any stream stays for minutes. It was 38 MiB at 500 streams.
  setFlagsFromString("--no-allocation-site-pretenuring");
  // Code is kept that nobody has needed for a while. By itself V8 throws it away when it is idle, and compiles it anew
  // when the next client comes: after half a minute without any, a chunk took up to 1.8 times the processor time.
  setFlagsFromString("--no-flush-bytecode");
  // One compiler less, the one in the middle that Node 22 and later have. When many clients come at once, hundreds of
  // functions wait for it at the same time, with all that it notes of each: 30 MiB at 500 streams, which stay. Once
  // warm, a chunk takes the same processor time without it.
  setFlagsFromString("--no-maglev");
  // Where it is counted how often a function was called, the last compiler waits for 3,000 calls, because the one in the
  // middle has done most of the work by then. Without that one, whole answers took until some fifteen thousand of them
  // to get as cheap as they are now after ten thousand. With fewer calls than these, streams stay a tenth dearer.
  if (countsCalls()) setFlagsFromString("--invocation-count-for-turbofan=1500");
}

/** Whether this V8 knows the setting: Node 24 and later. Older ones complain on standard error. */
function countsCalls(): boolean {
  return Number(process.versions.v8.split(".")[0]) >= 13;
}
