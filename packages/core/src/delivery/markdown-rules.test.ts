import type { AccountConfig, GroupConfig, MarkdownConfig } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { DIRECT, GROUP } from "../fake-message.ts";
import { renderOptionsOf } from "./markdown-rules.ts";

const account = (
  markdown?: MarkdownConfig,
  groups: Readonly<Record<string, GroupConfig>> = {},
): Pick<AccountConfig, "groups" | "markdown"> => ({
  groups,
  ...(markdown === undefined ? {} : { markdown }),
});
const group = { ...GROUP, id: "-100" };
const topic = { ...group, threadId: "7" };

describe("how text is fitted in a conversation", () => {
  it("is left to the channel when nobody says anything", () => {
    expect(renderOptionsOf(account(), group)).toEqual({});
  });

  it("is as the account says, in direct messages whatever a group wants", () => {
    const rules = account({ tables: "bullets", chunkMode: "paragraph" }, { "*": { markdown: { tables: "code" } } });
    expect(renderOptionsOf(rules, DIRECT)).toEqual({ tableMode: "bullets", chunkMode: "paragraph" });
  });

  it("is as the topic says, else its group, else the account, each for itself", () => {
    const rules = account(
      { tables: "bullets", chunkMode: "paragraph" },
      { "-100": { markdown: { tables: "code" } }, "-100:7": { requireMention: false, markdown: { chunkMode: "length" } } },
    );
    expect(renderOptionsOf(rules, group)).toEqual({ tableMode: "code", chunkMode: "paragraph" });
    expect(renderOptionsOf(rules, topic)).toEqual({ tableMode: "code", chunkMode: "length" });
    expect(renderOptionsOf(rules, { ...GROUP, id: "-200" })).toEqual({ tableMode: "bullets", chunkMode: "paragraph" });
  });

  it("is as * says in a group that is not listed", () => {
    const rules = account(undefined, { "*": { markdown: { tables: "off" } }, "-100": {} });
    expect(renderOptionsOf(rules, { ...GROUP, id: "-200" })).toEqual({ tableMode: "off" });
    expect(renderOptionsOf(rules, group)).toEqual({});
  });
});
