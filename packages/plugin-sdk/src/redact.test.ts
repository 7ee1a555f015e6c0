import { describe, expect, it } from "vitest";
import { createRedactor } from "./redact.ts";

const BOT_TOKEN = "1234567890:AAHk3jd-9sdkfjSDFkjsdfkjSDFkjsd_fw4";

describe("redaction", () => {
  it.each([
    ["a Telegram token", BOT_TOKEN],
    ["one in the address of a call", `https://api.telegram.org/bot${BOT_TOKEN}/sendMessage`],
    ["one with an encoded colon", `bot${BOT_TOKEN.replace(":", "%3A")}/getMe`],
    ["one that ends in a dash", `${BOT_TOKEN}- `],
    ["a model key", "sk-proj-abcdefghijklmnopqrstuvwx"],
    ["a Slack token", "xoxb-123456789012-abcdef and xapp-1-A1234567-xyz"],
    ["a token of GitHub", `ghp_${"abcdefghij".repeat(4)}`],
    ["a JSON web token", "eyJhbGciOiJIUzI1NiJ9.abcdefghijkl.abcdefghijk"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nabcdefghijkl\n-----END RSA PRIVATE KEY-----"],
    ["a basic header", "Authorization: Basic abcdefghijklmnop=="],
    ["a bearer header", "Authorization: Bearer abcdef.ghijkl-mnopqr=="],
  ])("blanks %s by its shape alone", (_, text) => {
    const shown = createRedactor().text(`before ${text} after`);
    expect(shown).toContain("[redacted]");
    expect(shown).not.toMatch(/AAHk3jd|fw4|abcdefghij|123456789012|A1234567|ghijkl/);
    expect(shown).toMatch(/^before .* after$/);
  });

  it("blanks what was registered, wherever it stands and however it is written", () => {
    const canary = 'p@ss "word"\\1:2';
    const redactor = createRedactor();
    redactor.add(canary);
    const texts = [canary, `x${canary}y${canary}`, encodeURIComponent(canary), JSON.stringify({ password: canary })];
    for (const text of texts) {
      const shown = redactor.text(text);
      expect(shown).toContain("[redacted]");
      expect(shown).not.toMatch(/p@ss|ss%20|"word|word%22|1:2|1%3A2/);
    }
  });

  it("leaves no rest of a secret that begins or ends with another one", () => {
    const redactor = createRedactor();
    for (const secret of ["abc-secret", "abc-secret-longer", "x-abc-secret-longer"]) redactor.add(secret);
    expect(redactor.text("1 abc-secret 2 abc-secret-longer 3 x-abc-secret-longer 4")).toBe("1 [redacted] 2 [redacted] 3 [redacted] 4");
  });

  it("leaves short values and ordinary text alone", () => {
    const redactor = createRedactor();
    redactor.add("12345");
    redactor.add("");
    const text = "12345 tells 12:30, task-1, 1234567890:short, and the bearer of news";
    expect(redactor.text(text)).toBe(text);
  });
});
