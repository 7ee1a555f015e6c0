/** What a line is, without what marks it as such. */
export interface LineKind {
  readonly kind: "text" | "quote" | "bullet" | "number";
  readonly text: string;
  /** For a number. */
  readonly number?: string;
}

/** Lines as HTML: neighbouring quotes are one, so are items of a list. */
export function linesHtml(lines: readonly LineKind[], inline: (text: string) => string): string {
  let html = "";
  for (let at = 0; at < lines.length;) {
    const { kind } = lines[at] as LineKind;
    let end = at + 1;
    while (end < lines.length && lines[end]?.kind === kind) end += 1;
    const group = lines.slice(at, end);
    if (kind === "text") html += `<div class="text">${group.map(({ text }) => inline(text)).join("\n")}</div>`;
    else if (kind === "quote") html += `<blockquote>${group.map(({ text }) => inline(text)).join("\n")}</blockquote>`;
    else html += group.map((line) => itemHtml(line, inline)).join("");
    at = end;
  }
  return html;
}

function itemHtml({ kind, text, number }: LineKind, inline: (text: string) => string): string {
  const sign = kind === "bullet" ? "•" : `${number ?? ""}.`;
  return `<div class="item"><span class="sign">${sign}</span><span>${inline(text)}</span></div>`;
}

/** A text cut at its fences: every second piece is code. `fence` has no groups but the code and, before it, the language. */
export function splitFences(text: string, fence: RegExp): readonly (string | { readonly code: string; readonly language?: string })[] {
  const pieces: (string | { code: string; language?: string })[] = [];
  let from = 0;
  for (const match of text.matchAll(fence)) {
    const { code = "", language } = match.groups ?? {};
    pieces.push(text.slice(from, match.index), { code, ...(language === undefined ? {} : { language }) });
    from = match.index + match[0].length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
