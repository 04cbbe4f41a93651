import { main } from "./main.ts";

// Not `process.exit`: what was written may not have left yet.
process.exitCode = await main(process.argv.slice(2), process);
