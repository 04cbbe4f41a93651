/** What a candidate says beside its content about where that is from. */
export const SOURCE_FIELDS = ["groundingMetadata", "citationMetadata", "urlContextMetadata"] as const;
