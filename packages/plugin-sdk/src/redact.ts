/** Knows the secrets of the running process and blanks them in any text. */
export interface Redactor {
  /** Remembers a secret. Values shorter than 6 characters are ignored: blanking them would garble every text. */
  add(secret: string): void;
  /** The text with every known secret, and what looks like a platform token, replaced by `[redacted]`. */
  text(value: string): string;
}

/**
 * Shapes of well-known tokens, blanked even when nobody registered them: Telegram bot tokens (digits:35 characters),
 * `sk-...` model keys, Slack `xox?-`/`xapp-`, GitHub's, JSON web tokens, private keys, and bearer and basic headers.
 */
const TOKEN_SHAPES =
  /(?<!\d)\d{6,12}(?::|%3A)[A-Za-z0-9_-]{30,}|\bsk-[A-Za-z0-9_-]{16,}|\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{10,}|(?<=\b(?:bearer|basic) )[A-Za-z0-9._~+/-]{12,}=*|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{20,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/gi;

const MARK = "[redacted]";

/** Creates a redactor. The one of the process is fed by configuration and by the secrets folder. */
export function createRedactor(): Redactor {
  const known = new Set<string>();
  /** Longest first: of a secret that begins with another one no rest may stay. Undefined when one was added since it was sorted. */
  let sorted: readonly string[] | undefined;
  return {
    add(secret) {
      if (secret.length < 6) return;
      // As it stands in a text, in an address, and in a line of JSON.
      for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) known.add(form);
      sorted = undefined;
    },
    text(value) {
      sorted ??= [...known].sort((a, b) => b.length - a.length);
      let result = value.replace(TOKEN_SHAPES, MARK);
      for (const secret of sorted) if (result.includes(secret)) result = result.replaceAll(secret, MARK);
      return result;
    },
  };
}
