import {
  type AccountConfig,
  type ChannelPlugin,
  type Clock,
  type ConfigSource,
  GatewayError,
  type Ids,
  type OutboundPart,
  type Store,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { DENIED_MS, normalizeCode } from "../access/pairing.ts";
import { composeNotice, noticeKey } from "../delivery/notice.ts";
import { textOf } from "../reply/texts.ts";
import { type AccessKey, type AccessRow, allAccess, grantAccess, revokeAccess } from "../store/access.ts";
import { findPartByKey, insertParts, type NewPart, type OutboxRow, recordAttempt } from "../store/outbox.ts";
import { deletePairing, type PairingKey, type PairingRow, savePairing, waitingPairings } from "../store/pairings.ts";
import type { ApprovedSenders } from "./approved.ts";
import { codeNotice } from "./pairing-key.ts";

/** A request as an operator sees it. Nothing of what the stranger wrote is known. */
export type PairingRequest = Pick<PairingRow, "channel" | "account" | "sender" | "code" | "attempts" | "createdAt" | "expiresAt">;

/** Which request is meant: its code, on one account or on all of the channel. */
export interface PairingChoice {
  readonly channel: string;
  readonly code: string;
  readonly account?: string | undefined;
}

/** Where operators let people in and out. */
export interface AccessDesk {
  /** Requests that wait, oldest first. */
  requests(): Promise<readonly PairingRequest[]>;
  /** Lets the sender in and tells them. ACCESS_CODE_UNKNOWN when no such code waits. */
  approve(choice: PairingChoice): Promise<AccessRow>;
  /** Turns the sender down; they are not told, and get no new code for a day. ACCESS_CODE_UNKNOWN when no such code waits. */
  deny(choice: PairingChoice): Promise<PairingKey>;
  /** Everybody who was let in. */
  entries(): Promise<readonly AccessRow[]>;
  /** Takes an entry away; counts from the sender's next message on. ACCESS_ENTRY_UNKNOWN when there is none. */
  remove(key: AccessKey): Promise<AccessKey>;
}

export interface DeskDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: ConfigSource;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, ChannelPlugin<any>>;
  /** The running gateway, which has to learn of a change. Absent when none runs: then the next start reads the tables. */
  readonly running?: { readonly approved: ApprovedSenders; readonly send: (parts: readonly OutboxRow[]) => void };
}

/** Opens the desk on a store, in a running gateway or beside a stopped one. */
export function createAccessDesk(deps: DeskDeps): AccessDesk {
  const { store, clock, running } = deps;
  return {
    requests: () => store.read((tx) => waitingPairings(tx, clock.now())),
    async approve(choice) {
      const { row, parts } = await store.write(async (tx) => {
        const request = await findRequest(tx, choice, clock.now());
        const { channel, account, sender } = request;
        const row = { channel, account, sender, role: "paired", grantedBy: "cli", grantedAt: clock.now() };
        await grantAccess(tx, row);
        await deletePairing(tx, request);
        return { row, parts: await insertApproval(tx, request, deps) };
      }, "durable");
      running?.approved.add(row);
      running?.send(parts);
      return row;
    },
    async deny(choice) {
      return store.write(async (tx) => {
        const request = await findRequest(tx, choice, clock.now());
        await savePairing(tx, { ...request, state: "denied", expiresAt: clock.now() + DENIED_MS });
        return { channel: request.channel, account: request.account, sender: request.sender };
      }, "durable");
    },
    entries: () => store.read((tx) => allAccess(tx)),
    async remove({ channel, account, sender }) {
      const canonical = deps.channels.get(channel)?.access?.normalizeId(sender) ?? sender;
      const key = { channel, account, sender: canonical };
      const found = await store.write((tx) => revokeAccess(tx, key), "durable");
      if (!found) throw new GatewayError("ACCESS_ENTRY_UNKNOWN", { detail: { sender, account: `${channel}:${account}` } });
      running?.approved.remove(key);
      return key;
    },
  };
}

async function findRequest(tx: StoreTx, choice: PairingChoice, now: number): Promise<PairingRow> {
  const code = normalizeCode(choice.code);
  const waiting = await waitingPairings(tx, now);
  const found = waiting.filter(
    (row) => row.code === code && row.channel === choice.channel && (choice.account === undefined || row.account === choice.account),
  );
  const [only, another] = found;
  if (!only) {
    const channel = choice.account === undefined ? choice.channel : `${choice.channel}:${choice.account}`;
    throw new GatewayError("ACCESS_CODE_UNKNOWN", { detail: { code: shownCode(code), channel } });
  }
  // Two accounts drew the same code: as likely as being struck by a meteorite, and still not a reason to let in the wrong person.
  if (another)
    throw new GatewayError("GATEWAY_USAGE", { detail: { reason: `two accounts have the code ${code}; say which with --account` } });
  return only;
}

/** What was typed as a code, as an error may repeat it: anything can stand there. */
function shownCode(code: string): string {
  const visible = code.replace(/[^\p{L}\p{N}]/gu, "?");
  return visible.length <= 20 ? visible : `${visible.slice(0, 20)}…`;
}

/** "You are in", to the conversation that asked. */
async function insertApproval(tx: StoreTx, request: PairingRow, deps: DeskDeps): Promise<readonly OutboxRow[]> {
  const { config } = deps.config.current();
  const channel = deps.channels.get(request.channel);
  const account: AccountConfig | undefined = config.channels[request.channel]?.accounts[request.account];
  const asked = await codePartOf(tx, request);
  if (!channel || !account || !asked) return [];
  const { texts, silentToken } = config.messages;
  const parts = composeNotice(
    {
      kind: "approval",
      text: textOf("approved", texts),
      conversation: asked.conversation,
      sendAs: asked.sendAs,
      subject: `approved:${request.channel}:${request.account}:${request.sender}`,
      at: request.createdAt,
    },
    { channel, account, silentToken, ids: deps.ids, now: deps.clock.now() },
  );
  return deps.running ? insertParts(tx, parts) : insertForLater(tx, parts);
}

/** Nobody sends now: a part that is surely not sent has to say so, or the next start would look for it on the platform. */
async function insertForLater(tx: StoreTx, parts: readonly NewPart[]): Promise<readonly OutboxRow[]> {
  const rows = await insertParts(tx, parts);
  for (const row of rows) await recordAttempt(tx, { ...row, state: "pending" });
  return rows;
}

/** The message with the request's code, under a key that the request leads to: it knows who asked whom, and where. */
async function codePartOf(tx: StoreTx, request: PairingRow): Promise<OutboundPart | undefined> {
  const part = await findPartByKey(tx, noticeKey(codeNotice(request)));
  return part && (JSON.parse(part.bodyJson) as OutboundPart); // written by `composeNotice`
}
