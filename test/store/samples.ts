import type { AccessRow } from "../../packages/core/src/store/access.ts";
import type { AcceptRow } from "../../packages/core/src/store/inbox.ts";
import type { MessageRow } from "../../packages/core/src/store/messages.ts";
import type { NewPart } from "../../packages/core/src/store/outbox.ts";
import type { PairingRow } from "../../packages/core/src/store/pairings.ts";

/** An accepted message; `n` makes its ids. */
export function inbound(n: number, change: Partial<AcceptRow> = {}): AcceptRow {
  return {
    id: `in_${String(n).padStart(4, "0")}`,
    conv: "irc:main:room",
    channel: "irc",
    account: "main",
    conversation: "room",
    thread: "",
    platformId: String(n),
    kind: "message",
    version: "",
    sessionKey: "session-1",
    state: "open",
    disposition: null,
    decisionsJson: "[]",
    configRev: 1,
    bodyJson: `{"text":"message ${n}"}`,
    receivedAt: 1_000 + n,
    sentAt: 900 + n,
    ...change,
  };
}

export function part(n: number, change: Partial<NewPart> = {}): NewPart {
  return {
    id: `ob_${String(n).padStart(4, "0")}`,
    conv: "irc:main:room",
    seq: 1,
    part: n,
    turn: "tn_1",
    kind: "final",
    key: `key-${n}`,
    op: "send",
    bodyJson: `{"text":"part ${n}"}`,
    createdAt: 2_000 + n,
    ...change,
  };
}

export function message(platformId: string, change: Partial<MessageRow> = {}): MessageRow {
  return {
    conv: "irc:main:room",
    platformId,
    direction: "in",
    author: "ada",
    text: `text ${platformId}`,
    replyTo: null,
    ref: null,
    at: 5_000,
    ...change,
  };
}

/** A stranger's request that waits until 10,000. */
export function request(sender: string, change: Partial<PairingRow> = {}): PairingRow {
  return {
    channel: "irc",
    account: "main",
    sender,
    code: "ABCD2345",
    state: "pending",
    attempts: 0,
    createdAt: 1_000,
    expiresAt: 10_000,
    ...change,
  };
}

export function granted(sender: string, change: Partial<AccessRow> = {}): AccessRow {
  return { channel: "irc", account: "main", sender, role: "paired", grantedBy: "cli", grantedAt: 1_000, ...change };
}
