import type { ConfigProblemCode } from "@trunkline/core";

/** The environment, as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A text with its variables filled in, or what is wrong with them. */
export interface Substitution {
  readonly text: string;
  /** Names of the variables, in order. */
  readonly variables: readonly string[];
  readonly problems: readonly VariableProblem[];
}

export interface VariableProblem {
  readonly code: ConfigProblemCode;
  /** The reference as it is written, from `${` on, to find its place. */
  readonly reference: string;
  readonly message: string;
  readonly hint: string;
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const ESCAPE_HINT = "Write $${ where the characters ${ themselves are meant.";

/** Fills in `${VAR}` and `${VAR:-default}` (the default also for an empty variable); `$${` is a literal `${`. */
export function substitute(text: string, env: Environment): Substitution {
  if (!text.includes("${")) return { text, variables: [], problems: [] };
  const variables: string[] = [];
  const problems: VariableProblem[] = [];
  const filled = text.replace(REFERENCE, (whole: string, body: string | undefined, end: string | undefined) => {
    if (body === undefined) return "${";
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(body) ?? [];
    if (end === "") {
      problems.push({ code: "CONFIG_INVALID", reference: "${", message: "${ is not closed by }", hint: ESCAPE_HINT });
    } else if (name === undefined || fallback?.includes("${")) {
      const hint = `Write \${NAME} or \${NAME:-default}; a default is plain text. ${ESCAPE_HINT}`;
      problems.push({
        code: "CONFIG_INVALID",
        reference: whole.slice(0, 40),
        message: "this is not a reference to an environment variable",
        hint,
      });
    } else {
      variables.push(name);
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value !== undefined && value !== "") return value;
      if (fallback !== undefined) return fallback;
      problems.push(missingVariable(name, value, whole));
    }
    return "";
  });
  return { text: filled, variables, problems };
}

function missingVariable(name: string, value: string | undefined, reference: string): VariableProblem {
  return {
    code: "CONFIG_VARIABLE_MISSING",
    reference,
    message: `the environment variable ${name} is ${value === undefined ? "not set" : "empty"}`,
    hint: `Set it, or write \${${name}:-default} to go on without it.`,
  };
}
