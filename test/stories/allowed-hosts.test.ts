import { request } from "node:http";
import { expect, it } from "vitest";
import { gatewayFromYaml } from "../support/gateway.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** The status of a request that names its host so. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

it("a gateway behind a proxy answers to the names of gateway.allowedHosts, and to no other", async () => {
  const gateway = await gatewayFromYaml(
    tempFolder(),
    `version: 1
gateway: { host: 127.0.0.1, port: 0, allowedHosts: [chat.example.org] }
agents: { list: [{ id: guide, model: { primary: demo/guide } }] }
`,
  );
  expect(await statusFor(`${gateway.url}/healthz`, "chat.example.org")).toBe(200);
  expect(await statusFor(`${gateway.url}/healthz`, "Chat.Example.org:8443")).toBe(200);
  expect(await statusFor(`${gateway.url}/healthz`, "localhost")).toBe(200);
  expect(await statusFor(`${gateway.url}/healthz`, "evil.example.org")).toBe(421);
  expect(await statusFor(`${gateway.url}/healthz`, "chat.example.org.evil.example")).toBe(421);
});
