import { expect, it } from "vitest";
import { nodeFindings } from "./machine-findings.ts";

it.each(["18.20.4", "20.18.3"])("finds Node %s too old", (version) => {
  expect(nodeFindings(version)).toMatchObject([{ code: "GATEWAY_NODE_TOO_OLD", cause: expect.stringContaining(version) }]);
});

it.each(["20.19.0", "22.1.0", "24.0.0"])("takes Node %s", (version) => {
  expect(nodeFindings(version)).toEqual([]);
});
