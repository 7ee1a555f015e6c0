// Signs in with the link that `npm start` printed, asks the demo for a table, and waits for the answer.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

const origin = `http://127.0.0.1:${process.env.PORT}`;
const token = /#token=(\S+)/.exec(readFileSync(process.env.OUT, "utf8"))?.[1];
const json = { "content-type": "application/json", origin };

const signIn = await fetch(`${origin}/auth/session`, { method: "POST", headers: json, body: JSON.stringify({ token }) });
const cookie = signIn.headers.get("set-cookie")?.split(";")[0];
if (!cookie) throw new Error(`sign-in failed: ${signIn.status}`);
const page = await fetch(`${origin}/`);
if (!(await page.text()).includes("<title>Trunkline</title>")) throw new Error("the page is missing");

const events = await fetch(`${origin}/web/events?client=${randomUUID()}`, {
  headers: { cookie, "sec-fetch-site": "same-origin", accept: "text/event-stream" },
  signal: AbortSignal.timeout(30_000),
});
const sent = await fetch(`${origin}/web/messages`, {
  method: "POST",
  headers: { ...json, cookie },
  body: JSON.stringify({ clientId: randomUUID(), text: "show me a table" }),
});
if (sent.status !== 202) throw new Error(`the message was not accepted: ${sent.status} ${await sent.text()}`);

let stream = "";
for await (const chunk of events.body) {
  stream += Buffer.from(chunk).toString("utf8");
  if (/event: message\n[^\n]*\n?.*<table>/s.test(stream) || (stream.includes("event: message") && stream.includes("<table"))) break;
}
if (!stream.includes("<table")) throw new Error("no answer");
process.stdout.write("started, signed in, asked, answered\n");
process.exit(0);
