import type { GatewayError } from "@trunkline/plugin-sdk";

/** The JSON body of an answer that says no. */
export interface Problem {
  readonly error: { readonly message: string; readonly hint?: string; readonly code?: string };
}

/** A problem in words of its own, for what is no error of the table. */
export function problem(message: string, hint?: string): Problem {
  return { error: { message, ...(hint === undefined ? {} : { hint }) } };
}

/** A problem from the table of errors: the sentence and the next step, never the cause or a stack. */
export function problemOf(error: GatewayError): Problem {
  return { error: { code: error.code, message: error.message, hint: error.hint } };
}
