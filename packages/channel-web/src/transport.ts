import { type ChannelHost, GatewayError, type Transport } from "@trunkline/plugin-sdk";
import { nameOf } from "./conversation.ts";
import { createHub, roomName } from "./hub.ts";
import { outboundWire } from "./outbound.ts";
import { readPageFiles } from "./page-files.ts";
import { createWebServer, UPLOADS } from "./server.ts";
import { openSite, type WebSite } from "./site.ts";
import { mediaIdOf } from "./ticket.ts";
import { UPLOAD_LIMIT } from "./uploading.ts";
import { frameEvent } from "./wire.ts";

/** The account whose page is the gateway's front page; others are served below `/@<account>/`. */
const FRONT_ACCOUNT = "main";

/**
 * The browser chat of one account. Nothing can fail between it and the store: a sent part is in the conversation's history whether
 * or not a tab is open, and the tabs know it by its key.
 */
export function createWebTransport(host: ChannelHost): Transport {
  const hub = createHub(host.clock);
  let site: WebSite | undefined;
  let stopped = false;
  return {
    typingRefreshMs: 4000,
    async start() {
      if (host.http === undefined) {
        throw new GatewayError("CHANNEL_FAILED", {
          detail: { channel: host.channel, account: host.account },
          hint: "The browser chat needs the gateway's HTTP server.",
        });
      }
      const base = host.account === FRONT_ACCOUNT ? "/" : `/@${host.account}/`;
      site = await openSite(host, hub);
      const server = createWebServer(base, site, await readPageFiles());
      host.http.route(base, server);
      host.http.route(`${base}${UPLOADS}`, server, { maxBodyBytes: UPLOAD_LIMIT });
      host.report("connected");
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      hub.close();
      host.report("stopped");
    },
    async send(part) {
      if (stopped) throw new GatewayError("DELIVERY_RETRY", { detail: { channel: host.channel }, retryable: true });
      const at = host.clock.now();
      const { conversation } = part;
      site?.parts.note(part);
      const room = roomName(conversation);
      hub.publish(room, outboundWire(part, at));
      hub.tell(conversation.id, frameEvent("activity", { c: nameOf(conversation) }), room);
      return { messageId: part.key, at };
    },
    async typing(conversation) {
      hub.typing(roomName(conversation));
    },
    preview({ conversation, turn, text }) {
      if (!stopped) hub.preview(roomName(conversation), { turn, html: text?.text ?? "" });
    },
    async fetchMedia(media, { maxBytes }) {
      const kept = await host.openMedia(mediaIdOf(media) ?? "");
      if (kept === undefined || kept.size > maxBytes)
        throw new GatewayError("DELIVERY_MEDIA_REFUSED", { detail: { file: media.fileName ?? media.kind } });
      return {
        data: kept.data,
        ...(media.mimeType === undefined ? {} : { mimeType: media.mimeType }),
        ...(media.fileName === undefined ? {} : { fileName: media.fileName }),
      };
    },
  };
}
