/** What OpenAI's responses repeat of their requests. */
const REPEATED = [
  "instructions",
  "max_output_tokens",
  "metadata",
  "parallel_tool_calls",
  "reasoning",
  "safety_identifier",
  "store",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_p",
  "user",
] as const;

/** Takes out of the body of a request, once it was understood, what its response repeats. */
export function echoOf(body: unknown, isBackground: boolean): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null) return {};
  const given: Readonly<Record<string, unknown>> = { ...body };
  const said = REPEATED.filter((name) => (given[name] ?? null) !== null).map((name) => [name, given[name]] as const);
  return { background: isBackground, ...Object.fromEntries(said) };
}
