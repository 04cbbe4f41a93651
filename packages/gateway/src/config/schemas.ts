import { description, pipe, strictObject, union } from "valibot";
import type {
  BaseIssue,
  DescriptionAction,
  GenericSchema,
  InferOutput,
  ObjectEntries,
  OutputDataset,
  SchemaWithPipe,
  StrictObjectSchema,
  UnionOptions,
  UnionSchema,
} from "valibot";

/** An object that has these fields and no others. */
export function fieldsOf<const Entries extends ObjectEntries>(
  entries: Entries,
): StrictObjectSchema<Entries, undefined> {
  const schema = strictObject(entries);
  return {
    ...schema,
    // A list would do as an object without fields, which is never what was meant.
    "~run": ({ value }, config) => schema["~run"]({ value: Array.isArray(value) ? undefined : value }, config),
  };
}

/** One of several forms of an object. What fits none of them is told by the one that it comes closest to. */
export function closestOf<const Forms extends UnionOptions>(forms: Forms): UnionSchema<Forms, undefined> {
  return {
    ...union(forms),
    "~run"({ value }, config) {
      const outcomes = forms.map((form) => form["~run"]({ value }, config));
      return outcomes.reduce((closest, outcome) => (mistakesIn(outcome) < mistakesIn(closest) ? outcome : closest));
    },
  };
}

/** A schema with the words that editors show beside its field. */
export function described<const Schema extends GenericSchema>(
  schema: Schema,
  text: string,
): SchemaWithPipe<readonly [Schema, DescriptionAction<InferOutput<Schema>, string>]> {
  return pipe(schema, description<InferOutput<Schema>, string>(text));
}

function mistakesIn({ issues }: OutputDataset<unknown, BaseIssue<unknown>>): number {
  return issues?.length ?? 0;
}
