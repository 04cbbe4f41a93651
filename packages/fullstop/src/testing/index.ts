export { DOCUMENT_CONTRACT } from "./document-contract/document-contract.ts";
export type { DocumentContractCase, DocumentHarness } from "./document-contract/contract.ts";
export { call, finish, reasoning, signature, start, text, usage } from "./events.ts";
export { createGate } from "./gate.ts";
export type { Gate } from "./gate.ts";
export { createScriptedEngine } from "./scripted-engine.ts";
export type { ScriptStep, ScriptedAnswer, ScriptedEngine, ScriptedEngineOptions } from "./scripted-engine.ts";
export { STORE_CONTRACT } from "./store-contract/store-contract.ts";
export type { StoreContractCase, StoreHarness } from "./store-contract/contract.ts";
