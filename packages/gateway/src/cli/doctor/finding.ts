import type { GatewayError } from "@trunkline/plugin-sdk";

/** One thing that is wrong, and how to mend it. */
export interface Finding {
  /** Of the table; a running gateway of another version may know more. */
  readonly code: string;
  /** What is wrong, with its place. */
  readonly cause: string;
  /** The next step of a person. */
  readonly fix: string;
  /** Does that step; absent where only a person can. */
  readonly repair?: () => Promise<void>;
}

/** A finding in the words of its error; `at` says where, when the error does not. */
export function findingOf(error: GatewayError, more: { readonly at?: string; readonly repair?: () => Promise<void> } = {}): Finding {
  const { at, repair } = more;
  return {
    code: error.code,
    cause: at === undefined ? error.message : `${at}: ${error.message}`,
    fix: error.hint,
    ...(repair === undefined ? {} : { repair }),
  };
}
