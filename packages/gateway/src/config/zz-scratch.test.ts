import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { loadConfig } from "./load.ts";
import { formatIssues } from "./issue.ts";
import { it } from "vitest";
import { readFileSync } from "node:fs";
it("x", () => {
  const cases = readFileSync("/tmp/cfg/cases.txt", "utf8").split(/^=== /m).slice(1);
  const out = [];
  for (const c of cases) {
    const nl = c.indexOf("\n");
    const text = c.slice(nl + 1).replaceAll("<TAB>", "\t").replaceAll("<NUL>","\0");
    const r = loadConfig({ file: "t.yaml", env: { TG: "123456:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", EMPTY: "", PORT: "99x" }, channels: [webChannel, telegramChannel], knownProviders: ["demo"], files: { read: (p) => { if (p.endsWith("t.yaml")) return new TextEncoder().encode(text); throw Object.assign(new Error("x"), { code: "ENOENT" }); }, mode: () => 0o600 } });
    out.push("=== " + c.slice(0, nl) + (r.ok ? "  [OK]" : "") + "\n" + text + "---\n" + formatIssues([...(r.ok ? [] : r.issues), ...r.warnings]) + "\n");
  }
  console.log(out.join("\n"));
});
