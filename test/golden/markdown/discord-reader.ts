/**
 * Discord's text as its clients read it, written after the rules of simple-markdown and discord-markdown and not after our renderer: gives what
 * a person sees, without any mark that was understood.
 */
export interface DiscordText {
  readonly visible: string;
  /** Names of the styles that were understood, in order. */
  readonly styles: readonly string[];
  readonly links: readonly string[];
  /** Tokens that would ping or become something else: mentions, emoji, times. */
  readonly tokens: readonly string[];
}

type Rule = readonly [name: string, pattern: RegExp, read: (match: RegExpExecArray, reader: Reader) => string];

const RULES: readonly Rule[] = [
  ["fence", /^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][^]*?)\n*```/i, (match) => match[2] ?? ""],
  ["escape", /^\\([^0-9A-Za-z\s])/, (match) => match[1] ?? ""],
  ["autolink", /^<(https?:\/\/[^ >]+)>/, (match, reader) => reader.link(match[1] ?? "", match[1] ?? "")],
  ["url", /^https?:\/\/[^\s<]+[^<.,:;"'\]\s]/, (match, reader) => reader.link(match[0], match[0])],
  [
    "link",
    /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?((?:[^\s\\]|\\.)*?)>?\s*\)/,
    (match, reader) => reader.link(match[2] ?? "", reader.inner(match[1] ?? "", true)),
  ],
  ["token", /^<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::\w)?|\/[^\s>:][^>:]*:\d+|id:\w+)>/, (match, reader) => reader.token(match[0])],
  ["strong", /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, (match, reader) => reader.inner(match[1] ?? "")],
  ["underline", /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, (match, reader) => reader.inner(match[1] ?? "")],
  [
    "em",
    /^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)|^\b_((?:__|\\[\s\S]|[^\\_])+?)_\b/,
    (match, reader) => reader.inner(match[1] ?? match[2] ?? ""),
  ],
  ["strike", /^~~([\s\S]+?)~~(?!_)/, (match, reader) => reader.inner(match[1] ?? "")],
  ["code", /^(`+)([\s\S]*?[^`])\1(?!`)/, (match) => (match[2] ?? "").replace(/^ (?= *`)|(` *) $/g, "$1")],
  ["spoiler", /^\|\|([\s\S]+?)\|\|/, (match, reader) => reader.inner(match[1] ?? "")],
];

const INLINE = new Set(["strong", "underline", "em"]);

class Reader {
  readonly styles: string[] = [];
  readonly links: string[] = [];
  readonly tokens: string[] = [];

  link(target: string, label: string): string {
    this.links.push(target);
    return label;
  }

  token(token: string): string {
    this.tokens.push(token);
    return token;
  }

  /** What is visible of a piece of source. Labels know no escapes: their backslashes are shown. */
  inner(source: string, label = false): string {
    let out = "";
    for (let at = 0; at < source.length;) {
      const rest = source.slice(at);
      const found = this.#match(rest, label, source[at - 1] ?? "");
      if (found === undefined) {
        out += rest[0];
        at += 1;
        continue;
      }
      const [[name, , read], match] = found;
      if (name !== "escape" && name !== "url" && name !== "token") this.styles.push(name);
      out += read(match, this);
      at += match[0].length;
    }
    return out;
  }

  #match(rest: string, label: boolean, before: string): readonly [Rule, RegExpExecArray] | undefined {
    let best: readonly [Rule, RegExpExecArray] | undefined;
    for (const rule of RULES) {
      const [name, pattern] = rule;
      if (label && (name === "escape" || name === "link")) continue;
      // Of strong, underlined and emphasis the longest is taken.
      if (best !== undefined && !INLINE.has(name)) return best;
      const match = pattern.exec(rest);
      if (match === null) continue;
      // `\b` at the start of a slice does not know what stands before it.
      if (name === "em" && match[2] !== undefined && /\w/.test(before)) continue;
      if (!INLINE.has(name)) return [rule, match];
      if (best === undefined || match[0].length >= best[1][0].length) best = [rule, match];
    }
    return best;
  }
}

/** Reads a message: code blocks first, then the marks of lines, then inline marks. */
export function readDiscord(source: string): DiscordText {
  const reader = new Reader();
  const unquoted = source.replace(/^> ?/gm, "");
  const visible = unquoted
    .split(/(```[^]*?```)/)
    .map((piece, index) => {
      if (index % 2 === 1) return reader.inner(piece);
      const lines = piece.replace(/^( *(?:[-*]|\d+\.) )*(?:#{1,3}|-#) /gm, (line) => {
        reader.styles.push("heading");
        return line.replace(/(?:#{1,3}|-#) $/, "");
      });
      return reader.inner(lines);
    })
    .join("");
  return { visible, styles: reader.styles, links: reader.links, tokens: reader.tokens };
}
