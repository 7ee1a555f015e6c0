import { plainProfile } from "@trunkline/core";
import { type ChannelHost, type ConnectingChannel, defineChannel, type Transport } from "@trunkline/plugin-sdk";
import { z } from "zod";

/** A channel in memory that notes what is done with it. */
export interface Pager {
  // oxlint-disable-next-line typescript/no-explicit-any -- any channel's config type
  readonly channel: ConnectingChannel<any>;
  /** `account key`, once for each connection. */
  readonly connects: readonly string[];
  readonly stops: readonly string[];
  readonly sent: readonly { readonly by: string; readonly to: string; readonly text: string }[];
  /** A person writes to an account; resolves once that is durable. */
  say(account: string, text: string, sender?: string): Promise<void>;
  /** Until the function that it gives is called, a send does not end. */
  holdSends(): () => void;
}

/** Creates it. Its accounts have a secret `key` and a `tone`. */
export function createPager(): Pager {
  const connects: string[] = [];
  const stops: string[] = [];
  const sent: { by: string; to: string; text: string }[] = [];
  const hosts = new Map<string, ChannelHost>();
  let held: Promise<void> = Promise.resolve();
  let messages = 0;
  const connect = ({ key }: { key: string }, host: ChannelHost): Transport => {
    const by = `${host.account} ${key}`;
    const running = new Set<Promise<void>>();
    return {
      async start() {
        connects.push(by);
        hosts.set(host.account, host);
      },
      async stop() {
        await Promise.all(running);
        stops.push(by);
      },
      async send(part) {
        running.add(held);
        await held;
        running.delete(held);
        sent.push({ by, to: part.conversation.id, text: part.text?.plain ?? "" });
        return { messageId: `sent-${sent.length}` };
      },
    };
  };
  return {
    channel: defineChannel<{ key: string; tone: number }>({
      id: "pager",
      label: "Pager",
      capabilities: {
        chatKinds: ["direct"],
        media: [],
        threads: false,
        reactions: false,
        edit: false,
        typing: false,
        preview: "none",
        buttons: false,
        nativeCommands: false,
        delivery: "at-least-once",
      },
      configSchema: z.strictObject({ key: z.string(), tone: z.int().default(1) }),
      secretKeys: ["key"],
      render: () => plainProfile,
      conversation: {
        caseSensitive: false,
        format: ({ id }) => id,
        parse: (text) => ({ kind: "direct", id: text }),
        normalizeTarget: (target) => ({ ok: true, id: { kind: "direct", id: target } }),
        labelNeedsId: () => false,
      },
      connect,
    }),
    connects,
    stops,
    sent,
    async say(account, text, sender = "1") {
      const host = hosts.get(account);
      if (host === undefined) throw new Error(`the account ${account} never connected`);
      messages += 1;
      await host.receive([
        {
          kind: "message",
          id: `m${messages}`,
          conversation: { channel: "pager", account, kind: "direct", id: sender },
          sender: { id: sender, isBot: false, isSelf: false },
          text,
          media: [],
          mentions: { bot: false, others: [] },
          sentAt: host.clock.now(),
        },
      ]);
    },
    holdSends() {
      let release = (): void => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}
