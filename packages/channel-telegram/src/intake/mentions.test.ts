import type { InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { findMentions, stripBotMention } from "./mentions.ts";

const me = { id: "99", username: "My_Bot" };
const message = { channelData: { bot: "My_Bot" } } as unknown as InboundMessage;
const strip = (text: string): string => stripBotMention(text, message);

describe("mentions", () => {
  it("of the bot are found whatever their case", () => {
    expect(findMentions("hey @my_bot", [{ type: "mention", offset: 4, length: 7 }], me)).toEqual({ bot: true, others: [] });
  });

  it("are cut by UTF-16 units, so that an emoji before them shifts nothing", () => {
    expect(findMentions("👨‍👩‍👧 @My_Bot!", [{ type: "mention", offset: 9, length: 7 }], me)).toEqual({ bot: true, others: [] });
  });

  it("of others are listed, by id where the platform gives one", () => {
    const user = { id: 7, is_bot: false, first_name: "No name" };
    const found = findMentions(
      "@ann and him",
      [
        { type: "mention", offset: 0, length: 4 },
        { type: "text_mention", offset: 9, length: 3, user },
      ],
      me,
    );
    expect(found).toEqual({ bot: false, others: ["@ann", "7"] });
  });

  it("by id mean the bot too", () => {
    const user = { id: 99, is_bot: true, first_name: "Bot" };
    expect(findMentions("you", [{ type: "text_mention", offset: 0, length: 3, user }], me).bot).toBe(true);
  });

  it("in a command say whose command it is", () => {
    expect(findMentions("/new@MY_BOT", [{ type: "bot_command", offset: 0, length: 11 }], me)).toEqual({ bot: true, others: [] });
    expect(findMentions("/new@other_bot", [{ type: "bot_command", offset: 0, length: 14 }], me)).toEqual({
      bot: false,
      others: ["@other_bot"],
    });
    expect(findMentions("/new", [{ type: "bot_command", offset: 0, length: 4 }], me)).toEqual({ bot: false, others: [] });
  });

  it("are not believed without an entity", () => {
    expect(findMentions("mail@my_bot", [], me)).toEqual({ bot: false, others: [] });
  });
});

describe("stripping the bot's mention", () => {
  it("takes a leading one and its separator, and no other byte", () => {
    expect(strip("@my_bot  what?")).toBe(" what?");
    expect(strip("@My_Bot, what?")).toBe("what?");
    expect(strip("@My_Bot")).toBe("");
    expect(strip("ask @My_Bot  this")).toBe("ask @My_Bot  this");
  });

  it("keeps the indentation of what follows on the next line", () => {
    expect(strip("@my_bot\n    indented")).toBe("    indented");
  });

  it("takes the bot's name from a command, not another bot's", () => {
    expect(strip("/new@my_bot please")).toBe("/new please");
    expect(strip("/new@other_bot")).toBe("/new@other_bot");
  });

  it("knows longer names from its own", () => {
    expect(strip("@my_bots hello")).toBe("@my_bots hello");
  });

  it("leaves the text alone when the bot's name is not known", () => {
    expect(stripBotMention("@my_bot hi", {} as InboundMessage)).toBe("@my_bot hi");
  });
});
