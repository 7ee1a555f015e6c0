import { describe, expect, it } from "vitest";
import { telegramProfile } from "./render.ts";

function names(text: string): string[] {
  return text.match(telegramProfile.codeNames ?? /$^/g) ?? [];
}

function clean(text: string, inCode = false): string {
  const { clean: rule } = telegramProfile;
  return rule === undefined ? text : text.replace(rule.pattern, (match) => rule.replace(match, inCode));
}

describe("telegramProfile", () => {
  it("finds file names that the server would link", () => {
    expect(names("Edit README.md, setup.sh and src/tool.py. Backup.ZIP? été.md")).toEqual([
      "README.md",
      "setup.sh",
      "src/tool.py",
      "Backup.ZIP",
      "été.md",
    ]);
  });

  it("leaves other names, addresses and parts of words alone", () => {
    expect(names("Node.js index.ts https://e.example/x.md a@b.sh x.md.bak foo.mdx .md C:\\x.py example.com")).toEqual([]);
  });

  it("changes what the server changes, so that sent and stored text agree", () => {
    expect(clean("a\tb\rc\u0007d\u2028e\u202ef\u0333g\u030ah\ni")).toBe("a bc defgh\ni");
  });

  it("keeps the shape of indented code", () => {
    expect(clean("\techo", true)).toBe("    echo");
  });

  it("measures UTF-16 units", () => {
    expect(telegramProfile.measure("🙂a")).toBe(3);
    expect([telegramProfile.limit, telegramProfile.captionLimit, telegramProfile.maxSpans]).toEqual([4096, 1024, 100]);
  });
});
