/**
 * The absolute path of Pip's GGUF file, as every program that runs GGUF files takes it. `MODEL.md` beside it says what
 * the model can do, and that it wants one thread.
 */
export declare const modelPath: string;
