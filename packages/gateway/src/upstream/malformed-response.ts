/** What a server has sent is no answer in HTTP. */
export class MalformedResponse extends Error {
  /** A word for programs, as errors of the network have one. */
  readonly code = "INVALID_HTTP";

  constructor(message: string) {
    super(message);
    this.name = "MalformedResponse";
  }
}
