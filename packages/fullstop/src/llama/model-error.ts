/**
 * Why a model cannot be used. The list may grow.
 *
 * - `not_found`: there is no such file, model or package
 * - `invalid_file`: what is there is no model file, is damaged, or may not be read
 * - `download_failed`: the server could not be reached, refused, or broke off too often
 * - `backend_missing`: node-llama-cpp is not installed or does not run on this machine
 * - `no_template`: the file holds no chat template that can be used
 * - `out_of_memory`: the model does not fit into memory
 * - `load_failed`: llama.cpp refused the file for another reason
 */
export type ModelLoadErrorKind =
  | "not_found"
  | "invalid_file"
  | "download_failed"
  | "backend_missing"
  | "no_template"
  | "out_of_memory"
  | "load_failed";

/** Thrown when a local model cannot be found, downloaded or loaded. The message says what to do about it. */
export class ModelLoadError extends Error {
  readonly kind: ModelLoadErrorKind;

  constructor(kind: ModelLoadErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModelLoadError";
    this.kind = kind;
  }
}
