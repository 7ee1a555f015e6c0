/** Text as HTML text and inside quoted attributes. What cannot be in a document is shown as a replacement character. */
export function escapeHtml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- HTML has none of these characters
  const clean = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd");
  return clean.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/** A link of the page; the label alone where the target is none that a reader should follow. `label` is HTML. */
export function linkHtml(href: string, label: string): string {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return label;
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${label}</a>`;
}

const BARE = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]}*_~|]/g;

/** Text with the addresses in it as links, as every client shows them. */
export function linkedText(text: string): string {
  let html = "";
  let from = 0;
  for (const match of text.matchAll(BARE)) {
    html += escapeHtml(text.slice(from, match.index)) + linkHtml(match[0], escapeHtml(match[0]));
    from = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(from));
}

/** The address at the beginning of a text, as clients find it. */
export function bareUrl(text: string): string | undefined {
  const found = /^https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]}*_~|]/.exec(text);
  return found?.[0];
}

/** A block of code. */
export function codeHtml(code: string, language?: string): string {
  const label = language === undefined || language === "" ? "" : `<span class="language">${escapeHtml(language)}</span>`;
  return `<pre class="code" tabindex="0">${label}<code>${escapeHtml(code)}</code></pre>`;
}

/** Hidden text; it shows when it is pointed at. `html` is HTML. */
export function spoilerHtml(html: string): string {
  return `<span class="spoiler" tabindex="0">${html}</span>`;
}
