// @ts-check

/**
 * Loaded into every program that is measured, before the program itself: it says over the channel to its parent what
 * the process has cost so far.
 *
 * @typedef {object} Costs
 * @property {number} processorMicroseconds Of all threads, in the program and in the kernel.
 * @property {number} peakResidentBytes
 * @property {string} node The version of Node that runs it; empty for other programs.
 */
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({
    processorMicroseconds: user + system,
    peakResidentBytes: process.resourceUsage().maxRSS * 1024,
    node: process.version,
  });
});
// Nobody is to stay alive only to be asked.
process.channel?.unref();
