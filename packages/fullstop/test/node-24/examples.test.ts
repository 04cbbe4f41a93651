import path from "node:path";
import { EXAMPLES, describeExamples, isOfAiSdk } from "../support/examples.ts";

// Among what is installed here, where the SDK is found as well as fullstop, as it is built.
describeExamples(EXAMPLES.filter(isOfAiSdk), path.join(import.meta.dirname, "node_modules"));
