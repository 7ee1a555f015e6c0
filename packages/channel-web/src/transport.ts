import { type ChannelHost, GatewayError, type Transport } from "@trunkline/plugin-sdk";
import { createHub } from "./hub.ts";
import { outboundWire } from "./outbound.ts";
import { readPageFiles } from "./page-files.ts";
import { createWebServer } from "./server.ts";

/** The account whose page is the gateway's front page; others are served below `/@<account>/`. */
const FRONT_ACCOUNT = "main";

/**
 * The browser chat of one account. Nothing can fail between it and the store: a sent part is in the conversation's history whether
 * or not a tab is open, and the tabs know it by its key.
 */
export function createWebTransport(host: ChannelHost): Transport {
  const hub = createHub(host.clock);
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
      host.http.route(base, createWebServer(base, host, hub, await readPageFiles()));
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
      hub.publish(part.conversation.id, outboundWire(part, at));
      return { messageId: part.key, at };
    },
    async typing(conversation) {
      hub.typing(conversation.id);
    },
    preview({ conversation, turn, text }) {
      if (!stopped) hub.preview(conversation.id, { turn, html: text?.text ?? "" });
    },
  };
}
