import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import { z } from "zod";
import { allowedKeys, configJsonSchema, editorJsonSchema, schemaAt } from "./json-schema.ts";

const pager = { id: "pager", label: "Pager", configSchema: z.strictObject({ key: z.string() }) } as unknown as ChannelPlugin;
const account = ["channels", "pager", "accounts", "main"];

it("an account has the channel's own keys and the common ones, and no others", () => {
  const keys = allowedKeys(schemaAt(configJsonSchema([pager]), account));
  expect(keys).toEqual(expect.arrayContaining(["key", "dmPolicy", "allowFrom", "groups"]));
  expect(schemaAt(configJsonSchema([pager]), account)?.["required"]).toEqual(["key"]);
});

it("a channel that is not there has no schema", () => {
  expect(allowedKeys(schemaAt(configJsonSchema([pager]), ["channels"]))).toEqual(["pager"]);
});

it("an editor accepts a variable where a number or a switch belongs", () => {
  const schema = editorJsonSchema([pager]);
  expect(schemaAt(schema, ["gateway", "port"])).toMatchObject({ anyOf: [{ type: "integer" }, { type: "string" }] });
  expect(schemaAt(schema, [...account, "enabled"])).toMatchObject({ anyOf: [{ type: "boolean" }, { type: "string" }] });
});

it("every key is explained, or is a section whose keys are", () => {
  const properties = schemaAt(configJsonSchema([pager]), account)?.["properties"] as Record<string, { description?: string }>;
  const common = Object.entries(properties).filter(([key]) => key !== "key");
  expect(common.filter(([, schema]) => schema.description === undefined).map(([key]) => key)).toEqual([]);
});
