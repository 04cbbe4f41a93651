import type { StoreContractCase } from "./contract.ts";
import { LIST_CASES } from "./list-cases.ts";
import { NOTICE_CASES } from "./notice-cases.ts";
import { RECORD_CASES } from "./record-cases.ts";

/**
 * What every store of generations has to do. Run each case as a test of its own, with data of its own:
 * `test.each(STORE_CONTRACT)("$name", ({ run }) => run(harness()))`.
 */
export const STORE_CONTRACT: readonly StoreContractCase[] = [...RECORD_CASES, ...LIST_CASES, ...NOTICE_CASES];
