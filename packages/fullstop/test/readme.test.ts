import path from "node:path";
import { EXAMPLES, describeExamples, isOfAiSdk } from "./support/examples.ts";

// Inside the package, so that its own name means it, as it is built.
describeExamples(
  EXAMPLES.filter((example) => !isOfAiSdk(example)),
  path.resolve(import.meta.dirname, "../dist"),
);
