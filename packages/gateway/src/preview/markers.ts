/** One kind of marker of a platform that has its markers on both sides of a text, in one line. */
export interface MarkerRule {
  readonly marker: string;
  readonly tag: string;
  /** Whether it can open behind this character (empty at the start of a line), and close before that text. */
  readonly opens: (before: string) => boolean;
  readonly closes: (after: string) => boolean;
  /** Nothing inside is markup. */
  readonly raw?: boolean;
}

/** What a platform reads besides markers: a link, an escape. Undefined when there is none at the beginning of `rest`. */
export type TokenReader = (rest: string) => { readonly html: string; readonly length: number } | undefined;

/** One line as HTML, by the platform's rules: a marker that they do not take is left as it is, so that it can be seen. */
export function markedLine(line: string, rules: readonly MarkerRule[], token: TokenReader, escape: (text: string) => string): string {
  let html = "";
  let plain = "";
  const flush = (): void => {
    html += escape(plain);
    plain = "";
  };
  for (let at = 0; at < line.length;) {
    const found = token(line.slice(at)) ?? markedAt(line, at, rules, token, escape);
    if (found === undefined) {
      plain += line[at] ?? "";
      at += 1;
      continue;
    }
    flush();
    html += found.html;
    at += found.length;
  }
  flush();
  return html;
}

function markedAt(
  line: string,
  at: number,
  rules: readonly MarkerRule[],
  token: TokenReader,
  escape: (text: string) => string,
): ReturnType<TokenReader> {
  const rule = rules.find(({ marker, opens }) => line.startsWith(marker, at) && opens(line.slice(Math.max(0, at - 1), at)));
  if (rule === undefined) return undefined;
  const start = at + rule.marker.length;
  if (line.startsWith(rule.marker, start)) return undefined;
  const end = line.indexOf(rule.marker, start + 1);
  if (end < 0 || !rule.closes(line.slice(end + rule.marker.length))) return undefined;
  const content = line.slice(start, end);
  if (rule.raw !== true && content.trim() !== content) return undefined;
  const inside = rule.raw === true ? escape(content) : markedLine(content, rules, token, escape);
  return { html: `<${rule.tag}>${inside}</${rule.tag}>`, length: end + rule.marker.length - at };
}
