import type { MarkdownIt, Token } from "markdown-it";

/**
 * A token with the fields and methods of the library's own, whose constructor defines each field by a call and so takes a third of a
 * whole parse. [markdown-it 15: src/token.ts]
 */
class QuickToken implements Token {
  type: string;
  tag: string;
  nesting: Token["nesting"];
  attrs: Token["attrs"] = null;
  map: Token["map"] = null;
  level = 0;
  children: Token["children"] = null;
  content = "";
  markup = "";
  info = "";
  meta: Token["meta"] = null;
  block = false;
  hidden = false;

  constructor(type: string, tag: string, nesting: Token["nesting"]) {
    this.type = type;
    this.tag = tag;
    this.nesting = nesting;
  }

  attrIndex(name: string): number {
    return this.attrs?.findIndex(([known]) => known === name) ?? -1;
  }

  attrPush(attr: [name: string, value: string | number]): void {
    (this.attrs ??= []).push(attr);
  }

  attrSet(name: string, value: string | number): void {
    const known = this.attrs?.[this.attrIndex(name)];
    if (known === undefined) this.attrPush([name, value]);
    else known[1] = value;
  }

  attrGet(name: string): string | number | null {
    return this.attrs?.[this.attrIndex(name)]?.[1] ?? null;
  }

  attrJoin(name: string, value: string): void {
    const known = this.attrGet(name);
    this.attrSet(name, known === null ? value : `${known} ${value}`);
  }
}

/** Makes a parser's states push quick tokens. What they do besides is the library's. */
export function useQuickTokens({ block, inline }: MarkdownIt): void {
  block.State = class extends block.State {
    override push(type: string, tag: string, nesting: Token["nesting"]) {
      const token = new QuickToken(type, tag, nesting);
      token.block = true;
      if (nesting < 0) this.level -= 1;
      token.level = this.level;
      if (nesting > 0) this.level += 1;
      this.tokens.push(token);
      return token;
    }
  };
  inline.State = class extends inline.State {
    override pushPending() {
      const token = new QuickToken("text", "", 0);
      token.content = this.pending;
      token.level = this.pendingLevel;
      this.tokens.push(token);
      this.pending = "";
      return token;
    }

    override push(type: string, tag: string, nesting: Token["nesting"]) {
      if (this.pending !== "") this.pushPending();
      const token = new QuickToken(type, tag, nesting);
      if (nesting < 0) {
        this.level -= 1;
        this.delimiters = this._prev_delimiters.pop() ?? [];
      }
      token.level = this.level;
      if (nesting > 0) {
        this.level += 1;
        this._prev_delimiters.push(this.delimiters);
        this.delimiters = [];
      }
      this.tokens_meta.push(nesting > 0 ? { delimiters: this.delimiters } : undefined);
      this.pendingLevel = this.level;
      this.tokens.push(token);
      return token;
    }
  };
}
