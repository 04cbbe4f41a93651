import type { DecisionContext } from "../../src/decide/index.ts";

/** What {@link contextOf} takes: whatever differs from the first answer of a conversation, which nobody has seen. */
type ContextParts = Partial<Omit<DecisionContext, "answer">> & {
  readonly answer?: Partial<DecisionContext["answer"]>;
};

/** A context in which nothing has happened but what is given. */
export function contextOf({ answer, ...parts }: ContextParts = {}): DecisionContext {
  return {
    answer: { hasText: false, hasReasoning: false, completeCalls: 0, cutCalls: 0, ...answer },
    wasShown: false,
    attempts: {},
    hasOwnTokenLimit: false,
    hasFallbackModel: false,
    conversation: { turns: 1, messages: 2, totalTokens: 100 },
    ...parts,
  };
}
