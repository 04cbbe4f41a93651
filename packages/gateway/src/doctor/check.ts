import { messageOf } from "../message-of.ts";

/** What was found out about one thing. */
export type Finding =
  | { readonly status: "well" | "absent"; readonly finding: string }
  | { readonly status: "wrong"; readonly finding: string; readonly advice: string };

/** A finding with the name of what was looked at. */
export type Check = Finding & { readonly name: string };

/** Says that something is as it should be. */
export function well(finding: string): Finding {
  return { status: "well", finding };
}

/** Says that something is not there, and need not be. */
export function absent(finding: string): Finding {
  return { status: "absent", finding };
}

/** Says that something is wrong, and what to do about it. */
export function wrong(finding: string, advice: string): Finding {
  return { status: "wrong", finding, advice };
}

/** Looks at something. What is thrown on the way is what is wrong. */
export async function check(name: string, advice: string, look: () => Promise<Finding> | Finding): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    return { name, ...wrong(messageOf(error), advice) };
  }
}
