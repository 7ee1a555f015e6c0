import { type ConversationRef, describeError } from "@trunkline/plugin-sdk";
import { refuse } from "./answer.ts";
import { roomName } from "./hub.ts";
import { fileOf, serveFile } from "./media.ts";
import { entryWire, PAGE, SNAPSHOT } from "./outbound.ts";
import type { WebSite } from "./site.ts";

/** Name of a tab, made by the page. */
const CLIENT = /^[\w-]{1,64}$/;

/** `GET web/events?client=ID&c=`: the stream of a tab. */
export async function openEvents(request: Request, url: URL, conversation: ConversationRef, site: WebSite): Promise<Response> {
  // The gateway knows a stream by this header and then asks where it comes from; without it a picture on another page could open one.
  if (!request.headers.get("accept")?.includes("text/event-stream")) return refuse(406, "This is a stream of events.");
  const client = url.searchParams.get("client") ?? "";
  if (!CLIENT.test(client)) return refuse(400, "The tab has no valid name in `client`.");
  const room = roomName(conversation);
  try {
    const body = await site.hub.connect(room, {
      client,
      lastEventId: request.headers.get("last-event-id"),
      read: async () => ({ history: await site.host.history(conversation, { limit: SNAPSHOT }), marks: await site.marks.of(room) }),
    });
    if (body === undefined) return refuse(503, "Too many tabs are open. Close one, and this one connects.", { "retry-after": "10" });
    // Proxies that buffer would hold back a stream.
    return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" } });
  } catch (error) {
    const { channel, account, logger } = site.host;
    logger.error({ channel, account, error: describeError(error) }, "the history of a web conversation cannot be read");
    return refuse(503, "The gateway cannot read the conversation now.", { "retry-after": "5" });
  }
}

/** `GET web/history?before=AT:ID&c=`: messages before one that the tab has, oldest first. `more`: there are still older ones. */
export async function readOlder(url: URL, conversation: ConversationRef, site: WebSite): Promise<Response> {
  const match = /^(\d{1,15}):([\w.-]{1,64})$/.exec(url.searchParams.get("before") ?? "");
  if (match === null) return refuse(400, "Older than what? `before` is TIME:ID of a message.");
  const before = { at: Number(match[1]), id: match[2] ?? "" };
  // One more than is shown tells whether there are older ones.
  const entries = await site.host.history(conversation, { limit: PAGE + 1, before });
  const messages = entries.slice(-PAGE).map(entryWire);
  return Response.json({ messages: messages.filter((message) => message !== undefined), more: entries.length > PAGE });
}

/** `GET web/marks?c=`: what a tab that resumed may have missed. */
export async function readMarks(conversation: ConversationRef, site: WebSite): Promise<Response> {
  return Response.json(await site.marks.of(roomName(conversation)));
}

/** `GET web/media/MESSAGE/N?c=`: a file of a message, found through the visitor's own conversation, so that an id alone opens nothing. */
export async function openMedia(path: string, conversation: ConversationRef, site: WebSite): Promise<Response | undefined> {
  const match = /^web\/media\/([\w.-]{1,64})\/(\d{1,3})$/.exec(path);
  if (match === null) return undefined;
  const part = site.parts.find(conversation, match[1] ?? "");
  const entry = part === undefined ? await site.host.message(conversation, match[1] ?? "") : { part };
  const file = entry && (await fileOf(entry, Number(match[2]), site.host));
  return file === undefined ? refuse(404, "The file is no longer there.") : serveFile(file);
}
