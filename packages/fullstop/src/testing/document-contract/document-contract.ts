import type { DocumentContractCase } from "./contract.ts";
import { KEEP_CASES } from "./keep-cases.ts";
import { VERSION_CASES } from "./version-cases.ts";

/**
 * What every store of documents has to do. Run each case as a test of its own, with data of its own:
 * `test.each(DOCUMENT_CONTRACT)("$name", ({ run }) => run(harness()))`.
 */
export const DOCUMENT_CONTRACT: readonly DocumentContractCase[] = [...KEEP_CASES, ...VERSION_CASES];
