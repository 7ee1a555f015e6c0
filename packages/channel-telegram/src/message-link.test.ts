import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTelegramLink } from "./message-link.ts";

const inChat = { messageId: "55", conversation: { id: "-1001234567890" } };
const byName = { messageId: "55", conversation: { handle: "team_chat" } };

describe("a link to a message of Telegram", () => {
  it.each([
    ["https://t.me/c/1234567890/55", inChat],
    ["https://t.me/c/1234567890/55?single", inChat],
    ["https://t.me/c/1234567890/7/55", inChat],
    ["https://t.me/c/1234567890/55?thread=7", inChat],
    [" t.me/c/1234567890/55/ ", inChat],
    ["tg://privatepost?channel=1234567890&post=55", inChat],
    ["https://t.me/Team_Chat/55", byName],
    ["http://telegram.me/team_chat/7/55", byName],
    ["tg://resolve?domain=team_chat&post=55&thread=7", byName],
  ])("%s names its chat and number", (link, expected) => {
    expect(parseTelegramLink(link)).toEqual(expected);
  });

  it.each([
    "https://t.me/team_chat",
    "https://t.me/c/1234567890",
    "https://t.me/c/-1001234567890/55",
    "https://t.me/team_chat/55?comment=9",
    "https://t.me/+AbCdEf/55",
    "https://t.me/c/1/2/3/4",
    "https://t.me/team_chat/055",
    "https://t.me/team_chat/５５",
    "https://t.me.example.org/c/1234567890/55",
    "https://example.org/?x=t.me/c/1/55",
    "tg://privatepost?channel=x&post=55",
    "tg://settings",
    "telegram:main:-1001234567890/55",
    "last",
    "",
  ])("%j is none", (text) => {
    expect(parseTelegramLink(text)).toBeUndefined();
  });

  it("is read without an error, whatever is written", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((s) => `https://t.me/${s}`),
        ),
        (text) => void parseTelegramLink(text),
      ),
    );
  });
});
