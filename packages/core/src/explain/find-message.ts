import { decodeKeyPart, GatewayError, type Store } from "@trunkline/plugin-sdk";
import { findInboundById, findInboundByPlatformId, type InboxRow, lastInbound } from "../store/inbox.ts";
import { findPart } from "../store/outbox.ts";

/**
 * The accepted message that a person means: an internal id (`in_...`, also of its turn `tn_...` or of a part of its answer `ob_...`), `last`, or
 * `channel:account:conversation/platformId`. GATEWAY_NOT_FOUND when nothing is known about it.
 */
export async function findMessageFor(reference: string, store: Store): Promise<InboxRow> {
  const row = await store.read(async (tx) => {
    if (reference === "last") return lastInbound(tx);
    if (/^(in|tn)_/.test(reference)) return findInboundById(tx, reference.replace(/^tn_/, "in_"));
    if (reference.startsWith("ob_")) {
      const part = await findPart(tx, reference);
      return part?.turn ? findInboundById(tx, part.turn.replace(/^tn_/, "in_")) : undefined;
    }
    const parts = parsePlatformReference(reference);
    const events = parts ? await findInboundByPlatformId(tx, parts) : [];
    // The newest: another bot that had the account before may have numbered a message the same.
    return events.findLast((candidate) => candidate.kind === "message") ?? events[0];
  });
  if (!row) throw new GatewayError("GATEWAY_NOT_FOUND", { detail: { id: reference.slice(0, 200) } });
  return row;
}

/** `channel:account:conversation/platformId`; colons inside a part are written %3A. */
function parsePlatformReference(reference: string) {
  const slash = reference.lastIndexOf("/");
  const [channel, account, ...rest] = reference.slice(0, slash).split(":");
  if (slash < 0 || !channel || !account || rest.length === 0) return undefined;
  return { channel, account, conversation: decodeKeyPart(rest.join(":")), platformId: reference.slice(slash + 1) };
}
