import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WebPerson, type WebSide } from "./web-person.ts";
import type { World } from "./world.ts";

/** Longest wait for something to happen before the state is looked at anyway, ms. */
const LOOK_MS = 40;

/** The browser chat, with people who do what the page does. */
export async function webWorld(): Promise<World> {
  let address: { readonly url: string; readonly token: string } | undefined;
  let handedOver = 0;
  const waiting = new Set<() => void>();
  const happened = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const next = (): Promise<void> => new Promise((resolve) => waiting.add(resolve));
  const people: WebPerson[] = [];
  const side: WebSide = {
    happened,
    async address() {
      while (address === undefined) await next();
      return address.url;
    },
  };
  return {
    channel: "web",
    accountYaml: "  web: { accounts: { main: {} } }\n",
    async meet() {
      const url = await side.address();
      const cookie = await signIn(url, address?.token ?? "");
      const person = new WebPerson(cookie, side, () => (handedOver += 1));
      for (const before of people.splice(0)) before.leave();
      people.push(person);
      return person;
    },
    async up(url, dataFolder) {
      address = { url, token: readFileSync(join(dataFolder, "secrets", "chat-token"), "utf8").trim() };
      happened();
    },
    down() {
      address = undefined;
      happened();
    },
    quiet: async () => void (await Promise.all(people.map((person) => person.connected()))),
    async somethingHappens() {
      const late = setTimeout(happened, LOOK_MS);
      await next();
      clearTimeout(late);
    },
    handedOver: () => handedOver,
    close: async () => people.forEach((person) => person.leave()),
  };
}

/** Gives the value of the cookie; its name is the port's. */
async function signIn(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/auth/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token }),
  });
  const cookie = /^[^=]+=([^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1];
  if (cookie === undefined) throw new Error(`nobody can sign in: ${response.status} ${await response.text()}`);
  return cookie;
}
