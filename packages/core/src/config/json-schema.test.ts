import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import { z } from "zod";
import { allowedKeys, configJsonSchema, editorJsonSchema, schemaAt } from "./json-schema.ts";

const connect = (): never => expect.fail("a schema connects nothing");
const pager = { id: "pager", label: "Pager", configSchema: z.strictObject({ key: z.string() }), connect } as unknown as ChannelPlugin;
const account = ["channels", "pager", "accounts", "main"];

it("an account has the channel's own keys and the common ones, and no others", () => {
  const keys = allowedKeys(schemaAt(configJsonSchema([pager]), account));
  expect(keys).toEqual(expect.arrayContaining(["key", "dmPolicy", "allowFrom", "groups"]));
  expect(schemaAt(configJsonSchema([pager]), account)?.["required"]).toEqual(["key"]);
});

it("a channel that is not there has no schema", () => {
  expect(allowedKeys(schemaAt(configJsonSchema([pager]), ["channels"]))).toEqual(["pager"]);
});

it("a channel that only renders cannot be configured", () => {
  const { connect: _, ...rendersOnly } = pager;
  expect(allowedKeys(schemaAt(configJsonSchema([rendersOnly]), ["channels"]))).toEqual([]);
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
