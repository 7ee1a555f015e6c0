import { expect, it } from "vitest";
import { answerMetrics, type MetricsRequest } from "./metrics-route.ts";

const secrets = { tokens: { admin: "admin-token-0123456789", chat: "chat-token-0123456789" }, cookieKey: "k", fresh: false };
const ask = (request: Partial<MetricsRequest>) =>
  answerMetrics({ address: "127.0.0.1", authorization: undefined, who: undefined, ...request }, secrets, async () => "numbers 1\n");

it("gives the numbers for the admin token or an owner's cookie", async () => {
  const answer = await ask({ authorization: "Bearer admin-token-0123456789" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("text/plain");
  expect(await answer.text()).toBe("numbers 1\n");
  expect((await ask({ who: { role: "admin", visitor: "v" } })).status).toBe(200);
});

it.each([
  ["nothing", {}],
  ["an empty token", { authorization: "Bearer " }],
  ["the chat token", { authorization: "Bearer chat-token-0123456789" }],
  ["another scheme", { authorization: "Basic admin-token-0123456789" }],
  ["a chat visitor's cookie", { who: { role: "chat" as const, visitor: "v" } }],
])("asks for the token when there is %s, on loopback too", async (_name, request) => {
  const answer = await ask(request);
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain("numbers");
});

it("says so while the gateway is starting", async () => {
  const request = { address: "::1", authorization: "Bearer admin-token-0123456789", who: undefined };
  expect((await answerMetrics(request, secrets, async () => undefined)).status).toBe(503);
});

it.each(["192.168.1.7", "10.127.0.1", "::ffff:192.168.1.7", "fe80::1", undefined])(
  "tells %s nothing, even with the token",
  async (address) => {
    const answer = await ask({ address, authorization: "Bearer admin-token-0123456789" });
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain("numbers");
  },
);

it.each(["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])("takes %s for this machine", async (address) => {
  expect((await ask({ address, authorization: "Bearer admin-token-0123456789" })).status).toBe(200);
});
