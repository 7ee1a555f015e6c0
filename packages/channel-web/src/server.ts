import type { HttpHandler, HttpIdentity } from "@trunkline/plugin-sdk";
import { noConversation, readFields, refuse } from "./answer.ts";
import { roomName } from "./hub.ts";
import { deleteConversation, readList, renameConversation } from "./listing.ts";
import { type PageFiles, servePageFile } from "./page-files.ts";
import { postMessage, postReaction, pressButton } from "./posting.ts";
import { openEvents, openMedia, readMarks, readOlder } from "./reading.ts";
import { conversationOf, type WebSite } from "./site.ts";
import { showUpload, takeUpload } from "./uploading.ts";

/** Where files are uploaded to, below the page's address: a place of its own, since its bodies are larger than all others. */
export const UPLOADS = "web/uploads";

/** Writes of the API by path. */
const WRITES: Readonly<Record<string, (request: Request, who: HttpIdentity, site: WebSite) => Promise<Response>>> = {
  "web/messages": postMessage,
  "web/buttons": pressButton,
  "web/reactions": postReaction,
  "web/ack": acknowledge,
  "web/conversations/rename": renameConversation,
  "web/conversations/delete": deleteConversation,
};

/**
 * The page and its API, below `base` (which ends with a slash). Everything but the page's own files needs an identity. The README lists
 * the requests; each that is about a conversation takes its name as `c`.
 */
export function createWebServer(base: string, site: WebSite, files: PageFiles): HttpHandler {
  return async (request, who) => {
    const url = new URL(request.url);
    if (!url.pathname.startsWith(base)) return undefined;
    const path = url.pathname.slice(base.length);
    const reads = request.method === "GET";
    if (!path.startsWith("web/")) return reads || request.method === "HEAD" ? servePageFile(files, path, request) : undefined;
    if (who === undefined) return refuse(401, "You are not signed in.");
    if (request.method === "POST") {
      if (path === UPLOADS) return takeUpload(request, url, who, site);
      return Object.hasOwn(WRITES, path) ? WRITES[path]?.(request, who, site) : undefined;
    }
    return reads ? read(request, url, path, who, site) : undefined;
  };
}

async function read(request: Request, url: URL, path: string, who: HttpIdentity, site: WebSite): Promise<Response | undefined> {
  if (path === "web/conversations") return readList(who, site);
  if (path.startsWith(`${UPLOADS}/`)) return showUpload(path.slice(UPLOADS.length + 1), who, site);
  const conversation = conversationOf(site, who, url.searchParams.get("c"));
  if (conversation === undefined) return noConversation();
  if (path === "web/events") return openEvents(request, url, conversation, site);
  if (path === "web/history") return readOlder(url, conversation, site);
  if (path === "web/marks") return readMarks(conversation, site);
  return path.startsWith("web/media/") ? openMedia(path, conversation, site) : undefined;
}

/** `POST web/ack` `{ client, seq, c? }`. */
async function acknowledge(request: Request, who: HttpIdentity, site: WebSite): Promise<Response> {
  const { c, client, seq } = await readFields(request);
  const conversation = conversationOf(site, who, c);
  if (conversation === undefined) return noConversation();
  if (typeof client !== "string" || !Number.isSafeInteger(seq)) return refuse(400, "An acknowledgement is { client, seq }.");
  site.hub.acknowledge(roomName(conversation), client, Number(seq));
  return new Response(null, { status: 204 });
}
