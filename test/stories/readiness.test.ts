import { GatewayError, STORE } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import { gatewayFromYaml } from "../support/gateway.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const YAML = `version: 1
gateway: { host: 127.0.0.1, port: 0 }
agents:
  defaults: { model: { primary: demo/guide } }
  list:
    - { id: aria, instructions: Be brief. }
channels:
  web:
    accounts:
      main: {}
`;

it("a gateway that says it has started answers at its page, and is ready while its store takes messages", async () => {
  const gateway = await gatewayFromYaml(tempFolder(), YAML);
  expect((await fetch(new URL("/", gateway.url))).status).toBe(200);
  const ready = async (): Promise<unknown> => {
    const response = await fetch(new URL("/readyz", gateway.url));
    return [response.status, await response.json()];
  };
  expect(await ready()).toEqual([200, { ready: true, why: [] }]);

  const store = gateway.container.get(STORE);
  const { write } = store;
  store.write = async () => {
    throw new GatewayError("STORE_FULL", { detail: { path: "/somewhere" } });
  };
  await waitUntil(async () => JSON.stringify(await ready()).includes("STORE_FULL"), "the fault is told");
  expect(await ready()).toEqual([503, { ready: false, why: [expect.stringContaining("STORE_FULL")] }]);
  store.write = write;
  await waitUntil(async () => JSON.stringify(await ready()) === JSON.stringify([200, { ready: true, why: [] }]), "it recovers");
});
