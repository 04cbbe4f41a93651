import { description, pipe, record, strictObject, union } from "valibot";
import type {
  BaseIssue,
  DescriptionAction,
  GenericSchema,
  InferOutput,
  ObjectEntries,
  OutputDataset,
  RecordSchema,
  SchemaWithPipe,
  StrictObjectIssue,
  StrictObjectSchema,
  UnionOptions,
  UnionSchema,
} from "valibot";
import { sayWhatIsExpected } from "./config-error.ts";

/** Says what is wrong with an object, or which of its fields is. */
type DescribeObject = (issue: StrictObjectIssue) => string;

/** An object that has these fields and no others. */
export function fieldsOf<const Entries extends ObjectEntries>(
  entries: Entries,
): StrictObjectSchema<Entries, DescribeObject> {
  const names = Object.keys(entries).join(", ");
  const describe: DescribeObject = (issue) => {
    if (issue.path === undefined) return sayWhatIsExpected(issue);
    return issue.expected === "never" ? `there is no field ${issue.received}; its fields are ${names}` : "is missing";
  };
  return refusingLists(strictObject(entries, describe));
}

/** An object of any fields whose names and values are of these kinds. */
export function namedBy<const Key extends GenericSchema<string, string>, const Value extends GenericSchema>(
  key: Key,
  value: Value,
): RecordSchema<Key, Value, undefined> {
  return refusingLists(record(key, value));
}

/** What stands for a list where an object has to be, for the words that are said of it. */
const LIST = Symbol("a list");

/** A list would do as an object, one without fields or with numbers for names, which is never what was meant. */
function refusingLists<const Schema extends GenericSchema>(schema: Schema): Schema {
  return {
    ...schema,
    "~run": ({ value }, config) => schema["~run"]({ value: Array.isArray(value) ? LIST : value }, config),
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
