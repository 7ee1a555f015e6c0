import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { createTelegramEmulator, type Person } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Of no shape that could be recognised: only who knows them can blank them. The bot tokens have to look like some. */
const SECRETS = {
  telegram: "7000000001:canary-one-telegram-good-token-aaaa",
  badTelegram: "7000000002:canary-two-telegram-bad-token-bbbbb",
  keyOfVariable: "canary3 key/of a variable",
  keyOfFile: "canary4KeyOfFile",
  keyWritten: 'canary5"Key\\Written',
  header: "canary6-header-value",
  proxy: "canary7ProxyPassword",
  tokenOfMistake: "7000000003:canary-eight-in-a-broken-file-ccccc",
  initKey: "canary9-key-of-init",
};

const EVE: Person = { userId: 2001, firstName: "Eve" };

/** A secret as it is, in an address, in JSON, and in base64. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    ...new Set([secret, encodeURIComponent(secret), json, JSON.stringify(json).slice(1, -1), Buffer.from(secret).toString("base64url")]),
  ];
}

/** Everything that was printed or served, by where. */
class Seen {
  readonly #texts: (readonly [where: string, text: string])[] = [];

  add(where: string, text: string): void {
    this.#texts.push([where, text]);
  }

  /** Where a secret was found, in whatever form. */
  holding(secret: string): readonly string[] {
    return this.#texts.filter(([, text]) => formsOf(secret).some((form) => text.includes(form))).map(([where]) => where);
  }

  text(where: string): string {
    return this.#texts.find(([name]) => name === where)?.[1] ?? "";
  }
}

/** A model server that says everything that it was given, in errors of several kinds. */
async function gossip(): Promise<{ readonly url: string; readonly headers: IncomingMessage["headers"][] }> {
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    request.resume().on("end", () => tell(request, response));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers };
}

function tell(request: IncomingMessage, response: ServerResponse): void {
  const { authorization = "", "x-team": team = "" } = request.headers;
  const message = `no access for ${authorization}, that is ${authorization.replace(/^Bearer /, "")}, team ${String(team)}`;
  if (request.url?.startsWith("/refuse")) {
    response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
  } else if (request.url?.startsWith("/break")) {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${JSON.stringify({ error: { message } })}\n\n`);
    response.end(() => request.socket.destroy());
  } else {
    response.writeHead(400, { "content-type": "text/plain" }).end(message);
  }
}

function yaml(apiRoot: string, modelUrl: string): string {
  return `version: 1
logs: { level: debug }
gateway: { port: 0 }
network: { proxy: "http://someone:${SECRETS.proxy}@127.0.0.1:9" }
providers:
  refuse: { type: openai-compatible, baseUrl: "${modelUrl}/refuse", apiKey: "\${CANARY_KEY}", headers: { X-Team: ${SECRETS.header} } }
  break: { type: openai-compatible, baseUrl: "${modelUrl}/break", apiKey: file:./key.txt }
  reject: { type: openai-compatible, baseUrl: "${modelUrl}/reject", apiKey: ${JSON.stringify(SECRETS.keyWritten)} }
agents:
  list:
    - { id: aria, instructions: Be brief., model: { primary: refuse/m, fallbacks: [break/m, reject/m] } }
channels:
  web: { accounts: { main: {} } }
  telegram:
    accounts:
      main: { token: "\${CANARY_BOT}", apiRoot: "${apiRoot}", dmPolicy: open, allowFrom: ["*"] }
      broken: { token: "${SECRETS.badTelegram}", apiRoot: "${apiRoot}" }
`;
}

/** Mistakes on and around the lines of secrets. */
function brokenConfigs(): readonly string[] {
  const token = SECRETS.tokenOfMistake;
  const account = (line: string): string => `version: 1\nchannels:\n  telegram:\n    accounts:\n      main:\n${line}`;
  return [
    account(`        tokn: "${token}"\n`),
    account(`        token: ["${token}"]\n`),
    account(`        token: "${token}x y"\n`),
    account(`        token: "${token}"\n        token: "${token}"\n`),
    account(`        token: "${token}\n        dmPolicy: open\n`),
    account(`        token: {"${token}": "${token}"}\n        dmPolicy: "${token}"\n`),
    `version: 1\nproviders:\n  a: { type: openai-compatible, apiKey: "${token}", headers: { X: ["${token}"] }, nonsense: 1 }\n`,
    `version: 1\nproviders:\n  a: { type: openai-compatible, baseUrl: "http://u:${token}@", apikey: "${token}" }\n`,
  ];
}

it("keeps every token and key out of all that is printed, served or stored", async () => {
  const seen = new Seen();
  const emulator = await createTelegramEmulator({ token: SECRETS.telegram });
  onTestFinished(() => emulator.close());
  const models = await gossip();
  const folder = tempFolder();
  const [config, data] = [join(folder, "trunkline.yaml"), join(folder, "data")];
  writeFileSync(join(folder, "key.txt"), `${SECRETS.keyOfFile}\n`, { mode: 0o600 });
  writeFileSync(config, yaml(emulator.apiRoot, models.url), { mode: 0o600 });
  chmodSync(config, 0o644); // so that the warning about it is printed, too
  const env = { CANARY_KEY: SECRETS.keyOfVariable, CANARY_BOT: SECRETS.telegram, CANARY_INIT: SECRETS.initKey };
  const where = ["--config", config, "--data", data];
  const run = async (...args: readonly string[]): Promise<string> => {
    const { out, err } = await trunkline(args, { env });
    seen.add(args.slice(0, 4).join(" "), `${out}\n${err}`);
    return out + err;
  };

  const gateway = await startGatewayProcess(where, env);
  const [url, admin] = [new URL(gateway.address).origin, new URL(gateway.address).hash.slice("#token=".length)];
  emulator.send(emulator.privateChat(EVE), EVE, { text: "hello" });
  await emulator.waitFor((audit) => audit.visible(EVE.userId).some(({ from }) => from === "bot"), { timeoutMs: 60_000 });
  seen.add("the chat", JSON.stringify(emulator.audit.visible(EVE.userId)));
  const cookie = await signIn(url, admin, seen);
  for (const path of ["/", "/app.js", "/healthz", "/readyz", "/auth/session", "/metrics", "/nothing", ...PAGE_DATA])
    seen.add(path, await served(await fetch(url + path, { headers: { cookie, authorization: `Bearer ${admin}` } })));
  seen.add("/metrics refused", await served(await fetch(`${url}/metrics`, { headers: { authorization: "Bearer no" } })));

  const rotate = { method: "POST", headers: { cookie, origin: url, "content-type": "application/json" }, body: '{"roles":["chat"]}' };
  const rotated = await fetch(`${url}/auth/rotate`, rotate);
  expect(rotated.status).toBe(200);
  seen.add("new tokens", await rotated.text());
  // Prints links, as it should; that it did is in the log, and they are not.
  expect((await trunkline(["web", "link", "--data", data])).out).toContain(admin);

  await run("status", ...where);
  await run("status", "--json", ...where);
  await run("explain", "last", ...where);
  await run("explain", "--json", "last", ...where);
  await run("check", ...where);
  await run("why-not", "--channel", "telegram", "--account", "main", "--peer", "dm:2001", "--text", "hi", ...where);
  for (const path of ["providers", "channels", "network.proxy", "providers.reject.apiKey"])
    await run("config", "get", path, "--origin", ...where);
  await run("doctor", ...where);
  seen.add("the log", gateway.log());
  expect(await gateway.stop()).toBe(0);
  await run("doctor", "--json", ...where);
  await run(
    "init",
    "--yes",
    "--config",
    join(folder, "new.yaml"),
    "--provider",
    "openai-compatible",
    "--base-url",
    `${models.url}/refuse`,
    "--key-env",
    "CANARY_INIT",
  );
  for (const [index, text] of brokenConfigs().entries()) {
    const file = join(folder, `broken${index}.yaml`);
    writeFileSync(file, text);
    const told = [...(index === 0 ? ["doctor"] : []), "check", "start"].map((command) =>
      run(command, "--config", file, "--data", join(folder, "none")),
    );
    for (const output of await Promise.all(told)) expect(output).toContain(file);
  }
  const again = await startGatewayProcess(where, env);
  seen.add("the second start", again.out());
  await again.stop();
  seen.add("the second log", again.log());
  for (const path of filesBelow(data)) if (!path.includes("/secrets/")) seen.add(relative(data, path), readFileSync(path, "latin1"));

  // They were there to be told, and nobody was deaf.
  const given = models.headers.map(({ authorization, "x-team": team }) => `${authorization} ${String(team)}`).join("\n");
  for (const name of ["keyOfVariable", "keyOfFile", "keyWritten", "header", "initKey"] as const) expect(given).toContain(SECRETS[name]);
  expect(seen.text("the log")).toContain("MODEL_AUTH");
  expect(seen.text("the log")).toContain("CHANNEL_TOKEN_REJECTED");
  expect(seen.text("/metrics")).toContain("trunkline_messages_accepted_total 1");
  seen.add("the first start", gateway.out());

  const own = ["chat-token", "admin-token", "cookie-key"].map((name) => readFileSync(join(data, "secrets", name), "utf8").trim());
  expect(own[1]).toBe(admin);
  const found = [...Object.values(SECRETS), ...own, cookie.split("=")[1] ?? "no cookie"].map(
    (secret) => [secret === admin ? "admin" : secret.slice(0, 12), seen.holding(secret)] as const,
  );
  // The link of the first start is how the owner gets in.
  expect(found.filter(([, places]) => places.length > 0)).toEqual([["admin", ["the first start"]]]);
}, 400_000);

/** What the page asks for once somebody is signed in. */
const PAGE_DATA: readonly string[] = ["/web/conversations", "/web/marks", "/web/history?before=9999999999999:x"];

async function signIn(url: string, token: string, seen: Seen): Promise<string> {
  const post = (given: string): Promise<Response> =>
    fetch(`${url}/auth/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ token: given }),
    });
  seen.add("a wrong sign-in", await served(await post("wrong-token-wrong-token")));
  const answer = await post(token);
  seen.add("a sign-in", await answer.text());
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function served(response: Response): Promise<string> {
  return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
