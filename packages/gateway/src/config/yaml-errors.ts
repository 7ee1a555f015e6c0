import { type Document, visit, type YAMLError } from "yaml";

/** A mistake in the YAML itself, in words for people who do not know the YAML specification. */
export interface SyntaxFinding {
  /** UTF-16 offset in the text. */
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
  /** The tree around it can still be trusted, so that the rest of the file is checked too. */
  readonly local: boolean;
}

/** Findings of one file; each takes a look at its line. */
const MAX_FINDINGS = 200;

const QUOTE_HINT = "Put the value in quotes.";

/**
 * What the parser found. One mistake often makes the parser stumble over all that follows: the mistakes that leave the tree intact and
 * the tabs are all told, of the others the first. The parser's own sentences are not used: they can repeat what stands in the file.
 */
export function syntaxFindings(document: Document, text: string): readonly SyntaxFinding[] {
  const errors = [...document.errors, ...document.warnings].toSorted((left, right) => left.pos[0] - right.pos[0]);
  const findings: SyntaxFinding[] = [];
  let broken = false;
  for (const error of errors) {
    const finding = explain(error, document, text);
    const isTab = error.code === "TAB_AS_INDENT";
    if (!finding.local && !isTab && broken) continue;
    if (finding.local && broken) continue;
    if (!finding.local) broken = true;
    findings.push(finding);
    if (findings.length === MAX_FINDINGS) break;
  }
  return findings;
}

function explain(error: YAMLError, document: Document, text: string): SyntaxFinding {
  const offset = Math.min(error.pos[0], text.length);
  const found = (message: string, hint: string, local = false, at = offset): SyntaxFinding => ({ offset: at, message, hint, local });
  const trap = explainTrap(offset, text, found);
  if (trap !== undefined) return trap;
  switch (error.code) {
    case "BAD_ALIAS":
      return found("* stands for an alias in YAML, and this one has no name", 'Write "*" in quotes.', true);
    case "BAD_SCALAR_START":
      return found(`a value cannot start with ${text[offset] ?? "this character"} in YAML`, QUOTE_HINT, true);
    case "TAG_RESOLVE_FAILED":
      return found("a ! starts a YAML tag, and this one is not known", "Remove it, or put the value in quotes.", true);
    case "MULTIPLE_DOCS":
      return found(
        "a second document starts here",
        "A configuration is one document: remove the line with ---, or put the rest into a file of its own.",
      );
    case "BAD_DQ_ESCAPE":
      return found(
        "a backslash in double quotes starts an escape, and this one is not known",
        "Write \\\\ for a backslash, or use single quotes.",
        true,
      );
    case "MISSING_CHAR":
      return missingCharacter(error, document, text, found);
    case "BLOCK_AS_IMPLICIT_KEY":
      return found(
        "a key cannot follow on the line of another key",
        'Put a text that has ": " in it in quotes; or start the next line further left.',
      );
    case "BAD_INDENT":
      return error.message.startsWith("Flow")
        ? found("a [ or { before this line is not closed", "Close it, or indent the lines between the brackets.")
        : found("this line is indented differently from its neighbours", "Give the keys of one map the same number of spaces.");
    default:
      return found("this is not valid YAML", "Look for a missing colon, quote or bracket here or on the line before.");
  }
}

type Found = (message: string, hint: string, local?: boolean, at?: number) => SyntaxFinding;

/** Mistakes that are recognised by what stands at the place, whatever the parser called them. */
function explainTrap(offset: number, text: string, found: Found): SyntaxFinding | undefined {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const [line = ""] = text.slice(lineStart, lineStart + 500).split("\n", 1);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  if (indent.includes("\t") && offset <= lineStart + indent.length)
    return found("a tab is used for indentation", "YAML indents by spaces only.", false, lineStart + indent.indexOf("\t"));
  if (text[offset] === "{" && text[offset - 1] === "$")
    return found("a variable inside { } or [ ] has to be in quotes", 'Write "${NAME}" with the quotes.', false, offset - 1);
  if (text[offset] === "#")
    return found("# starts a comment, so the rest of the line is not read", 'Put a value with # in quotes: "#name".');
  if (
    text.startsWith("- ", offset) &&
    line
      .slice(0, offset - lineStart)
      .trimEnd()
      .endsWith(":")
  )
    return found("a list cannot start on the line of its key", "Put each entry on a line of its own, or write [first, second].");
  if (offset <= lineStart + indent.length && /^[\w-]+:\S/.test(line.trimStart()))
    return found("a space is missing after the colon", "Write key: value.");
  if (offset <= lineStart + indent.length && /^-[^\s-]/.test(line.trimStart()))
    return found("a space is missing after the dash", "Write - value.");
  if (text[offset - 1] === "'" && /[\p{L}\p{N}]/u.test(text[offset] ?? ""))
    return found(
      "the text goes on after its closing quote",
      "Inside single quotes write '' for one quote, or use double quotes around the text.",
    );
  return undefined;
}

function missingCharacter(error: YAMLError, document: Document, text: string, found: Found): SyntaxFinding {
  if (error.message.includes("quote")) {
    return found("a quote is opened here and never closed", "Add the closing quote.", false, openQuote(document, text) ?? error.pos[0]);
  }
  if (error.message.startsWith("Implicit"))
    return found("a colon is missing after the key", "Write key: value, or indent the line if it belongs to the one before.");
  return found("a comma, colon or bracket is missing", "Check the list or map in brackets around this place.");
}

/** Where the quoted text starts that runs to the end of the file. */
function openQuote(document: Document, text: string): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_, { range }) {
      if (range && /["']/.test(text[range[0]] ?? "")) start = range[0];
    },
  });
  return start;
}
