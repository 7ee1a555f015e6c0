import { badRequest } from "../refusal.ts";
import type { FormattedText, WireEntity } from "../wire.ts";
import { sortEntities } from "./entity-kinds.ts";
import type { FindUser } from "./given-entities.ts";
import { linkedEntity } from "./linked-entity.ts";
import { byteOffset } from "./offsets.ts";

const RESERVED = "_*[]()~`>#+-=|{}.!\n";
// The names that the server uses for an entity in its messages. Source: td MessageEntity.cpp, `operator<<`.
const SPOKEN: Readonly<Record<string, string>> = {
  bold: "Bold",
  italic: "Italic",
  underline: "Underline",
  strikethrough: "Strikethrough",
  spoiler: "Spoiler",
  code: "Code",
  pre: "Pre",
  text_link: "TextUrl",
  custom_emoji: "CustomEmoji",
  blockquote: "BlockQuote",
};
const MARKERS: Readonly<Record<string, string>> = {
  bold: "*",
  italic: "_",
  underline: "__",
  strikethrough: "~",
  spoiler: "||",
  code: "`",
  pre: "```",
  text_link: "]",
  custom_emoji: "]",
};

interface Open {
  readonly type: string;
  readonly offset: number;
  readonly begin: number;
  readonly language: string;
}

/**
 * Turns MarkdownV2 into a text with entities.
 * @throws Refusal 400 "can't parse entities: ..." with the wording and the byte offset of the real parser.
 * Source: td MessageEntity.cpp, `parse_markdown_v2`; core.telegram.org/bots/api#markdownv2-style.
 */
export function parseMarkdownV2(source: string, findUser: FindUser): FormattedText {
  return new MarkdownReader(source, findUser).read();
}

class MarkdownReader {
  readonly #source: string;
  readonly #findUser: FindUser;
  readonly #open: Open[] = [];
  readonly #entities: WireEntity[] = [];
  #text = "";
  #at = 0;

  constructor(source: string, findUser: FindUser) {
    this.#source = source;
    this.#findUser = findUser;
  }

  read(): FormattedText {
    if (this.#source.startsWith(">")) this.#push("blockquote", 1);
    while (this.#at < this.#source.length) this.#step();
    this.#closeQuote(false);
    const left = this.#open.at(-1);
    if (left !== undefined) throw this.#endMissing(left);
    return { text: this.#text, entities: sortEntities(this.#entities) };
  }

  #step(): void {
    const char = this.#source.charAt(this.#at);
    const inCode = this.#open.some((open) => open.type === "code" || open.type === "pre");
    if (char === "\\" && isEscapable(this.#source.charCodeAt(this.#at + 1))) {
      this.#text += this.#source.charAt(this.#at + 1);
      this.#at += 2;
    } else if (!(inCode ? "`" : RESERVED).includes(char)) {
      this.#text += char;
      this.#at += 1;
    } else if (char === "\n") {
      this.#newLine();
    } else if (!this.#closes()) {
      this.#begin(char);
    }
  }

  #newLine(): void {
    this.#at += 1;
    const quoted = this.#open.some((open) => open.type === "blockquote");
    const goesOn = this.#source.charAt(this.#at) === ">";
    if (quoted && !goesOn) this.#closeQuote(true);
    this.#text += "\n";
    if (!goesOn) return;
    if (quoted) this.#at += 1;
    else this.#push("blockquote", 1);
  }

  /** Ends the quote; `inside` is whether text follows, so that nothing else may be open. */
  #closeQuote(inside: boolean): void {
    if (!this.#open.some((open) => open.type === "blockquote")) return;
    let last = this.#open.at(-1) as Open;
    // "||" at the very end of a quote makes it expandable; it was read as the start of a spoiler.
    const expandable = last.type === "spoiler" && last.offset === this.#text.length;
    if (expandable) {
      this.#open.pop();
      last = this.#open.at(-1) as Open;
    }
    if (last.type !== "blockquote") {
      if (inside) throw this.#endMissing(last);
      return;
    }
    this.#open.pop();
    const length = this.#text.length - last.offset;
    if (length > 0) this.#entities.push({ type: expandable ? "expandable_blockquote" : "blockquote", offset: last.offset, length });
  }

  #closes(): boolean {
    const top = this.#open.at(-1);
    const marker = top === undefined ? undefined : MARKERS[top.type];
    if (top === undefined || marker === undefined || !this.#source.startsWith(marker, this.#at)) return false;
    // A double underscore is always underline, never two ends of italic.
    if (top.type === "italic" && this.#source.startsWith("__", this.#at)) return false;
    this.#at += marker.length;
    this.#open.pop();
    const range = { offset: top.offset, length: this.#text.length - top.offset };
    if (top.type === "text_link") this.#closeLink(range);
    else if (top.type === "custom_emoji") this.#closeEmoji(range);
    else if (range.length > 0)
      this.#entities.push({ type: top.type, ...range, ...(top.language === "" ? {} : { language: top.language }) });
    return true;
  }

  #closeLink(range: { offset: number; length: number }): void {
    const target = this.#source.charAt(this.#at) === "(" ? this.#target("a URL") : this.#text.slice(range.offset);
    if (range.length > 0) this.#entities.push(...linkedEntity(target, range, this.#findUser));
  }

  #closeEmoji(range: { offset: number; length: number }): void {
    if (this.#source.charAt(this.#at) !== "(") throw unparsable("Custom emoji entity must contain a tg://emoji URL");
    const target = this.#target("a custom emoji URL");
    const id = /^tg:(?:\/\/)?emoji\?id=(\d{1,20})$/i.exec(target)?.[1];
    const time = /^tg:(?:\/\/)?time\?unix=(\d{1,12})(?:&format=([rwdDtT]{1,3}))?$/i.exec(target);
    if (range.length === 0) return;
    if (id !== undefined) this.#entities.push({ type: "custom_emoji", ...range, custom_emoji_id: id });
    else if (time !== null) {
      this.#entities.push({
        type: "date_time",
        ...range,
        unix_time: Number(time[1]),
        ...(time[2] === undefined ? {} : { date_time_format: time[2] }),
      });
    } else throw unparsable("Invalid custom emoji identifier specified");
  }

  #target(what: string): string {
    const begin = this.#at + 1;
    let target = "";
    for (let at = begin; at < this.#source.length; at += 1) {
      let char = this.#source.charAt(at);
      if (char === ")") {
        this.#at = at + 1;
        return target;
      }
      if (char === "\\" && at + 1 < this.#source.length) {
        at += 1;
        char = this.#source.charAt(at);
      }
      target += char;
    }
    throw unparsable(`Can't find end of ${what} at byte offset ${byteOffset(this.#source, begin)}`);
  }

  #begin(char: string): void {
    const next = this.#source.charAt(this.#at + 1);
    if (char === "*" && next === "*" && this.#source.charAt(this.#at + 2) === ">" && this.#atLineStart()) {
      // An empty bold in front of ">" separates two quotes that follow each other.
      this.#at += 2;
      this.#push("blockquote", 1);
    } else if (char === "_") this.#push(next === "_" ? "underline" : "italic", next === "_" ? 2 : 1);
    else if (char === "*") this.#push("bold", 1);
    else if (char === "~") this.#push("strikethrough", 1);
    else if (char === "|" && next === "|") this.#push("spoiler", 2);
    else if (char === "[") this.#push("text_link", 1);
    else if (char === "!" && next === "[") this.#push("custom_emoji", 2);
    else if (char === "`") this.#beginCode();
    else throw unparsable(`Character '${char}' is reserved and must be escaped with the preceding '\\'`);
  }

  #beginCode(): void {
    if (!this.#source.startsWith("```", this.#at)) return this.#push("code", 1);
    const rest = this.#source.slice(this.#at + 3);
    // The first word is a language only when something but a backtick ends it.
    const language = /^([^\s`]+)(?=\s)/.exec(rest)?.[1] ?? "";
    const lineEnd = /^(?:\r\n|\n\r|\n|\r)/.exec(rest.slice(language.length))?.[0] ?? "";
    this.#push("pre", 3 + language.length + lineEnd.length, language);
  }

  #push(type: string, consumed: number, language = ""): void {
    this.#open.push({ type, offset: this.#text.length, begin: this.#at, language });
    this.#at += consumed;
  }

  #atLineStart(): boolean {
    return this.#at === 0 || this.#source.charAt(this.#at - 1) === "\n";
  }

  #endMissing(open: Open): Error {
    const name = open.type === "pre" && open.language !== "" ? "PreCode" : SPOKEN[open.type];
    return unparsable(`Can't find end of ${name} entity at byte offset ${byteOffset(this.#source, open.begin)}`);
  }
}

// A backslash escapes any character of ASCII but the last, DEL. Source: td MessageEntity.cpp, `parse_markdown_v2`.
function isEscapable(code: number): boolean {
  return code >= 1 && code <= 126;
}

function unparsable(reason: string): Error {
  return badRequest(`Can't parse entities: ${reason}`);
}
