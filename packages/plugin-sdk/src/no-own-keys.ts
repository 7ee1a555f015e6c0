import type { Schema } from "./schema.ts";

/** The schema of a channel whose accounts have no keys of their own. */
export const NO_OWN_KEYS: Schema<Readonly<Record<string, never>>> = {
  "~standard": {
    version: 1,
    vendor: "trunkline",
    validate: (value) =>
      typeof value === "object" && value !== null && Object.keys(value).length === 0
        ? { value: {} }
        : { issues: [{ message: "there are no keys to be set here" }] },
    jsonSchema: { input: () => ({ type: "object", properties: {}, additionalProperties: false }) },
  },
};
