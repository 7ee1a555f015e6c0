import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeAccount, fakeAgent, fakeConfig, fakeSnapshot } from "../fake-config.ts";
import { fakeMessage } from "../fake-message.ts";
import { fakeTurnJournal } from "../journal/fake-journal.ts";
import type { InboxRow } from "../store/inbox.ts";
import { TurnPrefix } from "./prefix.ts";
import { ToolSends } from "./tool-sends.ts";
import type { Steering } from "./steering.ts";
import type { Turn } from "./turn.ts";

/** A turn on a message of Ann's. For tests only. */
export function fakeTurn(over: Partial<Turn> = {}): Turn {
  const message = over.message ?? fakeMessage();
  const channel: ChannelPlugin = over.channel ?? createFakeChannel().plugin;
  return {
    id: "tn_1",
    row: { id: "in_1", seq: 1 } as InboxRow,
    rows: [{ id: "in_1", seq: 1 } as InboxRow],
    message,
    text: message.text,
    named: false,
    steering: { listen: async () => undefined, taken: () => [] } as unknown as Steering,
    decisions: [],
    config: fakeSnapshot(),
    account: fakeAccount(),
    agent: fakeAgent(),
    channel,
    sessionKey: "agent:aria:fake:main:dm:ann",
    authority: "authorised",
    authorityPath: "channels.fake.accounts.main.allowFrom",
    stopped: 0,
    attempts: 1,
    journal: fakeTurnJournal(),
    sends: new ToolSends(message.conversation, new Map([[channel.id, channel]]), (text) => text),
    prefix: new TurnPrefix({ cfg: fakeConfig(), agentId: "aria" }, false),
    resumed: false,
    signal: new AbortController().signal,
    ...over,
  };
}
