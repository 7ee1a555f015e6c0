import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import { hasIdKeys, isIdPlace, isSecretPlace, isUrlPlace } from "./places.ts";

const channels = [{ id: "pager", secretKeys: ["key"] }] as unknown as readonly ChannelPlugin[];
const account = ["channels", "pager", "accounts", "main"];

it("knows where ids stand", () => {
  expect(isIdPlace([...account, "allowFrom", 0])).toBe(true);
  expect(isIdPlace([...account, "groups", "-1", "allowFrom", 3])).toBe(true);
  expect(isIdPlace(["owners", 0])).toBe(true);
  expect(isIdPlace(["bindings", 0, "match", "peer"])).toBe(true);
  expect(hasIdKeys([...account, "groups"])).toBe(true);
});

it("knows where none stand", () => {
  expect(isIdPlace(["gateway", "port"])).toBe(false);
  expect(isIdPlace(["bindings", 0, "match", "channel"])).toBe(false);
  expect(isIdPlace([...account, "allowFrom"])).toBe(false);
  expect(hasIdKeys(account)).toBe(false);
});

it("knows secrets by the channel's word, and below them too", () => {
  expect(isSecretPlace([...account, "key"], channels)).toBe(true);
  expect(isSecretPlace([...account, "key", "part", 0], channels)).toBe(true);
  expect(isSecretPlace([...account, "dmPolicy"], channels)).toBe(false);
  expect(isSecretPlace(["channels", "desk", "accounts", "main", "key"], channels)).toBe(false);
  expect(isSecretPlace(["providers", "local", "apiKey"], channels)).toBe(true);
  expect(isSecretPlace(["providers", "local", "headers", "Authorization"], channels)).toBe(true);
  expect(isSecretPlace(["providers", "local", "baseUrl"], channels)).toBe(false);
});

it("knows URLs that may hold a password", () => {
  expect(isUrlPlace(["store", "url"])).toBe(true);
  expect(isUrlPlace(["network", "proxy"])).toBe(true);
  expect(isUrlPlace(["providers", "local", "baseUrl"])).toBe(true);
  expect(isUrlPlace(["providers", "local", "type"])).toBe(false);
});
