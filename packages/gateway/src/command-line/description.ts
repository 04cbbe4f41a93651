/** An option that is there or not. */
interface FlagDescription {
  readonly type: "flag";
  readonly help: string;
}

/** An option with a value; `values` may be given several times. */
interface ValueDescription {
  readonly type: "value" | "values";
  /** What the help calls the value, such as `N`. */
  readonly value: string;
  readonly help: string;
  /** All values there are, where they can be listed. */
  readonly choices?: readonly string[] | undefined;
  /** Whether the value is the name of a file. */
  readonly isFile?: boolean | undefined;
}

/** One option of a command, but for its name. */
export type OptionDescription = FlagDescription | ValueDescription;

/** The options of a command, by the names that follow the two dashes. */
export type OptionTable = Readonly<Record<string, OptionDescription>>;

/** What a command takes beside its options. */
interface OperandDescription {
  /** How the usage line shows it, such as `FILE…`. */
  readonly usage: string;
  /** What is suggested for the first of them: words, or the names of files. */
  readonly suggests: readonly string[] | "files";
}

/**
 * All that is known about a command before it runs. The help, the reading of parameters and the completion of shells
 * are made of it, so that they say the same.
 */
export interface CommandDescription {
  readonly name: string;
  readonly introduction: string;
  readonly options: OptionTable;
  /** Nothing but options are taken where this is left out. */
  readonly operands?: OperandDescription | undefined;
  /** What is to be said after the options. */
  readonly notes?: string | undefined;
  readonly examples: readonly string[];
  readonly exitCodes: readonly (readonly [code: number, meaning: string])[];
}

/** What the options of a table come to: a flag is true or false, and `values` are a list, maybe an empty one. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly type: "flag" }
    ? boolean
    : Table[Name] extends { readonly type: "values" }
      ? readonly string[]
      : string | undefined;
};

/** The option that every command has. */
export const HELP_OPTION: OptionDescription = { type: "flag", help: "this text" };
