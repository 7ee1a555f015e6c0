import { createRequire } from "node:module";
import { CHANNELS } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import plugin, { telegramChannel } from "./index.ts";

const loaded = (): readonly string[] => Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes("/grammy/"));

it("contributes the channel, and loads grammY for nobody who does not use it", () => {
  const contributed: unknown[] = [];
  plugin.register({
    plugin: plugin.name,
    provide: () => expect.unreachable(),
    contribute: (token, value) => void contributed.push(token, value),
  });
  expect(contributed).toEqual([CHANNELS, telegramChannel]);
  expect(loaded()).toEqual([]);
});

it("promises nothing that the transport cannot do", () => {
  const { capabilities, secretKeys, id } = telegramChannel;
  expect({ id, secretKeys }).toEqual({ id: "telegram", secretKeys: ["token"] });
  expect(capabilities).toMatchObject({
    delivery: "reconcilable",
    typing: true,
    threads: true,
    preview: "edit",
    edit: true,
    buttons: false,
  });
});
