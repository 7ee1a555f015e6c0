import { type ChannelHost, type ConversationRef, describeError, type HttpHandler, type HttpIdentity } from "@trunkline/plugin-sdk";
import { visitorConversation } from "./conversation.ts";
import type { Hub } from "./hub.ts";
import { inboundWire, parsePosted, toInbound } from "./inbound.ts";
import { serveMedia } from "./media.ts";
import { SNAPSHOT } from "./outbound.ts";
import { type PageFiles, servePageFile } from "./page-files.ts";

/** Name of a tab, made by the page. */
const CLIENT = /^[\w-]{1,64}$/;

/**
 * The page and its API, below `base` (which ends with a slash). Everything but the page's own files needs an identity.
 * `POST web/messages`, `GET web/events`, `POST web/ack`, `GET web/media/<part key>/<n>`; each takes the conversation's name as `c`.
 */
export function createWebServer(base: string, host: ChannelHost, hub: Hub, files: PageFiles): HttpHandler {
  return async (request, who) => {
    const url = new URL(request.url);
    if (!url.pathname.startsWith(base)) return undefined;
    const path = url.pathname.slice(base.length);
    const reads = request.method === "GET";
    if (!path.startsWith("web/")) return reads || request.method === "HEAD" ? servePageFile(files, path, request) : undefined;
    if (who === undefined) return refuse(401, "You are not signed in.");
    if (path === "web/messages" && request.method === "POST") return postMessage(request, who, host, hub);
    if (path === "web/ack" && request.method === "POST") return acknowledge(request, who, host, hub);
    const conversation = visitorConversation(host.channel, host.account, who, url.searchParams.get("c"));
    if (conversation === undefined) return refuse(404, "There is no such conversation.");
    if (path === "web/events" && reads) return openEvents(request, url, conversation, host, hub);
    if (path.startsWith("web/media/") && reads) return openMedia(path, conversation, host);
    return undefined;
  };
}

async function postMessage(request: Request, who: HttpIdentity, host: ChannelHost, hub: Hub): Promise<Response> {
  const posted = parsePosted(await readJson(request));
  if (!posted.ok) return refuse(posted.status, posted.message);
  const conversation = visitorConversation(host.channel, host.account, who, posted.c);
  if (conversation === undefined) return refuse(404, "There is no such conversation.");
  const message = toInbound(posted, conversation, who, host.clock.now());
  try {
    const [result] = await host.receive([message]);
    // A repeat was shown when it came first; its time is known to whoever has seen it.
    if (result === undefined || result.duplicate) return Response.json({ id: result?.id ?? null, duplicate: true }, { status: 202 });
    hub.publish(conversation.id, inboundWire(message, message.sentAt));
    return Response.json({ id: result.id, duplicate: false, at: message.sentAt }, { status: 202 });
  } catch (error) {
    host.logger.error({ channel: host.channel, account: host.account, error: describeError(error) }, "a web message could not be stored");
    return refuse(503, "The gateway cannot take messages now. Nothing was lost: it is sent again.", { "retry-after": "5" });
  }
}

async function acknowledge(request: Request, who: HttpIdentity, host: ChannelHost, hub: Hub): Promise<Response> {
  const body = await readJson(request);
  const { c, client, seq } = (typeof body === "object" && body !== null ? body : {}) as { c?: unknown; client?: unknown; seq?: unknown };
  const conversation = visitorConversation(host.channel, host.account, who, typeof c === "string" ? c : undefined);
  if (conversation === undefined) return refuse(404, "There is no such conversation.");
  if (typeof client !== "string" || !Number.isSafeInteger(seq)) return refuse(400, "An acknowledgement is { client, seq }.");
  hub.acknowledge(conversation.id, client, Number(seq));
  return new Response(null, { status: 204 });
}

async function openEvents(request: Request, url: URL, conversation: ConversationRef, host: ChannelHost, hub: Hub): Promise<Response> {
  // The gateway knows a stream by this header and then asks where it comes from; without it a picture on another page could open one.
  if (!request.headers.get("accept")?.includes("text/event-stream")) return refuse(406, "This is a stream of events.");
  const client = url.searchParams.get("client") ?? "";
  if (!CLIENT.test(client)) return refuse(400, "The tab has no valid name in `client`.");
  try {
    const body = await hub.connect(conversation.id, {
      client,
      lastEventId: request.headers.get("last-event-id"),
      history: () => host.history(conversation, { limit: SNAPSHOT }),
    });
    if (body === undefined) return refuse(503, "Too many tabs are open. Close one, and this one connects.", { "retry-after": "10" });
    // Proxies that buffer would hold back a stream.
    return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" } });
  } catch (error) {
    host.logger.error(
      { channel: host.channel, account: host.account, error: describeError(error) },
      "the history of a web conversation cannot be read",
    );
    return refuse(503, "The gateway cannot read the conversation now.", { "retry-after": "5" });
  }
}

/** A file is found through the visitor's own conversation, so that a key alone opens nothing. */
async function openMedia(path: string, conversation: ConversationRef, host: ChannelHost): Promise<Response | undefined> {
  const match = /^web\/media\/(\w{1,64})\/(\d{1,3})$/.exec(path);
  if (match === null) return undefined;
  const history = await host.history(conversation, { limit: SNAPSHOT });
  const part = history.find((entry) => entry.part?.key === match[1])?.part;
  const medium = part?.media?.[Number(match[2])];
  return (medium && (await serveMedia(medium))) ?? refuse(404, "The file is no longer there.");
}

async function readJson(request: Request): Promise<unknown> {
  // A form of another site can post text, but not this type.
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) return undefined;
  return request.json().catch(() => undefined);
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message } }, { status, headers });
}
