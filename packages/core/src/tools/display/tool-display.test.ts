import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { formatToolAggregate } from "./aggregate.ts";
import { shortenHomePath, shortenMeta } from "./home-path.ts";
import { TOOL_DISPLAY } from "./table.ts";
import { formatToolSummary, resolveToolDisplay } from "./tool-display.ts";

const summary = (name: string, args: unknown): string => formatToolSummary(resolveToolDisplay({ name, args }));

describe("the summary of a tool call", () => {
  it.each([
    ["read", { path: "/etc/hosts", offset: 3 }, "📖 Read: /etc/hosts"],
    ["read", { path: `${homedir()}/n.md`, offset: 10, limit: 5 }, "📖 Read: ~/n.md:10-15"],
    ["exec", { command: "ls -la\nsecond" }, "⚡ Exec: ls -la"],
    ["exec", { pty: true, command: "npm test" }, "⚡ Exec: pty · npm test"],
    ["exec", { command: "npm test", background: true, pty: false }, "⚡ Exec: background · npm test"],
    ["message", { action: "send", to: "c1", content: "hello" }, "💬 Message: send"],
    ["message", { action: "thread-reply", to: "c1" }, "💬 Message: thread reply"],
    ["message", { action: "do_magic", to: "x" }, "💬 Message: do magic · x"],
    [
      "message",
      { action: "react", provider: "discord", to: "c1", messageId: "9", emoji: "👍" },
      "💬 Message: react · provider discord · to c1 · message 9 · emoji 👍",
    ],
    ["web_search", { query: "cats", count: 3 }, "🔎 Web Search: query cats · count 3"],
    ["web_fetch", { url: "https://e.org", maxChars: 500 }, "📄 Web Fetch: url https://e.org · max chars 500"],
    ["browser", { action: "act", request: { kind: "click", ref: "e3" } }, "🌐 Browser: act · kind click · ref e3"],
    ["cron", { action: "add", job: { name: "nightly", schedule: "0 3 * * *" } }, "⏰ Cron: add · name nightly · schedule 0 3 * * *"],
    ["sessions_list", { kinds: ["a", "b", "c", "d"] }, "🗂️ Sessions: a, b, c…"],
    ["sessions_history", { sessionKey: "main", limit: 0 }, "🧾 Session History: main"],
    // A flag that is set stands first, and one value alone needs no name.
    ["sessions_history", { sessionKey: "main", includeTools: true }, "🧾 Session History: tools · main"],
    ["agents_list", { x: 1 }, "🧭 Agents"],
    ["a2_push_it", {}, "🧩 A2 Push It"],
    ["custom_thing", { query: "abc" }, "🧩 Custom Thing: abc"],
    ["exec", "no object", "⚡ Exec"],
  ])("of %s with %j is %j", (name, args, expected) => {
    expect(summary(name, args)).toBe(expected);
  });

  it("has the parts that it is made of", () => {
    expect(resolveToolDisplay({ name: "message", args: { action: "send" } })).toEqual({
      name: "message",
      emoji: "💬",
      title: "Message",
      label: "Message",
      verb: "send",
    });
    expect(resolveToolDisplay({ name: "x", meta: "words" }).detail).toBe("words");
  });

  it("is one line of at most 120 characters as people count them, whatever the arguments", () => {
    const detail = resolveToolDisplay({ name: "exec", args: { command: "👩‍👩‍👧‍👦".repeat(300) } }).detail ?? "";
    expect([...new Intl.Segmenter("en").segment(detail)]).toHaveLength(120);
    expect(summary("exec", { command: `python3 - <<'X'${"\nprint(1)".repeat(200)}\nX` })).toBe("⚡ Exec: python3 - <<'X'");
    expect(summary("exec", { command: `a\u2028b\tc${"\u0301".repeat(5000)}` }).length).toBeLessThan(2000);
  });

  it("shows no secret", () => {
    const args = { command: "curl -H 'Authorization: Bearer abcdefghijklmnop' --token=hunter2hunter2 https://ann:pass1234@e.org" };
    expect(summary("exec", args)).not.toMatch(/abcdefghijklmnop|hunter2|pass1234/);
    expect(formatToolAggregate("exec", ["deploy --api-key sk-abcdefghijklmnopqrstuv"])).not.toContain("abcdefghijklmnop");
  });

  it("is made for a tool that is called like a property of every object", () => {
    expect(summary("constructor", { action: "toString" })).toBe("🧩 Constructor: toString");
  });
});

describe("several calls on one line", () => {
  it.each([
    ["read", ["src/index.ts"], {}, "📖 Read: src/index.ts"],
    ["read", ["src/index.ts", "src/config.ts"], {}, "📖 Read: src/{index.ts, config.ts}"],
    ["read", ["/srv/a/x.ts", "/srv/b/y.ts"], {}, "📖 Read: /srv/a/x.ts; /srv/b/y.ts"],
    ["read", ["C:\\a\\x.ts", "C:\\a\\y.ts"], {}, "📖 Read: C:\\a\\{x.ts, y.ts}"],
    ["read", [`${homedir()}/app/src/index.ts`], {}, "📖 Read: ~/app/src/index.ts"],
    ["read", ["src/index.ts"], { markdown: true }, "📖 Read: src/index.ts"],
    ["exec", ["pty · npm test"], {}, "⚡ Exec: pty · npm test"],
    ["exec", ["pty · npm test"], { markdown: true }, "⚡ Exec: pty · `npm test`"],
    ["exec", ["echo `date`"], { markdown: true }, "⚡ Exec: echo `date`"],
    ["exec", ["run it", "/srv/x/a.sh", "/srv/x/b.sh"], {}, "⚡ Exec: run it; /srv/x/{a.sh, b.sh}"],
    ["write", ["/a/b → /c/d"], {}, "✍️ Write: /a/b → /c/d"],
    ["web_fetch", ["https://e.org/a/b"], {}, "📄 Web Fetch: https://e.org/a/b"],
    ["message", ["send"], {}, "💬 Message: send"],
    ["web_search", [], {}, "🔎 Web Search"],
    ["my_tool", ["x"], {}, "🧩 My Tool: x"],
    [null, ["x"], {}, "🧩 Tool: x"],
  ])("%s with %j and %j is %j", (name, metas, options, expected) => {
    expect(formatToolAggregate(name, metas, options)).toBe(expected);
  });
});

describe("a path below the home folder", () => {
  it.each([
    ["/Users/ann/projects/app/src/index.ts", "/Users/ann", "~/projects/app/src/index.ts"],
    ["/home/bot", "/home/bot", "~"],
    ["/home/bottle/x", "/home/bot", "/home/bottle/x"],
    ["", "/home/bot", ""],
    ["C:\\Users\\Ann\\x.ts", "c:\\users\\ann", "~\\x.ts"],
    ["/a", "/", "/a"],
  ])("%j of %j is %j", (path, home, expected) => {
    expect(shortenHomePath(path, home)).toBe(expected);
  });

  it.each([
    ["/home/bot/a.ts:12", "~/a.ts:12"],
    ["npm test", "npm test"],
    ["cp /home/bot/a /home/bot/b", "cp ~/a ~/b"],
    ["https://e.org/home/bot/a", "https://e.org/home/bot/a"],
    ["C:/home/bot/a", "C:/home/bot/a"],
    ["/home/bot/a:/home/bot/b", "~/a:/home/bot/b"],
    ["--out=/home/bot/x", "--out=~/x"],
  ])("in the words %j is %j", (meta, expected) => {
    expect(shortenMeta(meta, "/home/bot")).toBe(expected);
  });
});

describe("config/tool-display.json", () => {
  it.each(Object.entries(TOOL_DISPLAY.tools))("has a whole row for %s", (name, row) => {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(row.emoji).toMatch(/^\p{Extended_Pictographic}/u);
    expect(row.title).toMatch(/^\p{Lu}/u);
    const known = ["emoji", "title", "label", "command", "lines", "detailKeys", "actions"];
    expect(Object.keys(row).filter((key) => !known.includes(key))).toEqual([]);
    for (const action of Object.values(row.actions ?? {})) {
      expect(Object.keys(action).filter((key) => key !== "label" && key !== "detailKeys")).toEqual([]);
    }
  });
});
