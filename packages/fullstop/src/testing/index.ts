export { call, finish, reasoning, signature, start, text, usage } from "./events.ts";
export { createGate } from "./gate.ts";
export type { Gate } from "./gate.ts";
export { createScriptedEngine } from "./scripted-engine.ts";
export type { ScriptStep, ScriptedAnswer, ScriptedEngine, ScriptedEngineOptions } from "./scripted-engine.ts";
