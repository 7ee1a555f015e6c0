import { decodeKeyPart, GatewayError, type Store } from "@trunkline/plugin-sdk";
import { findInboundById, findInboundByPlatformId, type InboxRow, lastInbound } from "../store/inbox.ts";

/**
 * The accepted message that a person means: an internal id (`in_...`, also of its turn `tn_...`), `last`, or
 * `channel:account:conversation/platformId`. GATEWAY_NOT_FOUND when nothing is known about it.
 */
export async function findMessageFor(reference: string, store: Store): Promise<InboxRow> {
  const row = await store.read(async (tx) => {
    if (reference === "last") return lastInbound(tx);
    if (/^(in|tn)_/.test(reference)) return findInboundById(tx, reference.replace(/^tn_/, "in_"));
    const parts = parsePlatformReference(reference);
    return parts && (await findInboundByPlatformId(tx, parts)).find((candidate) => candidate.kind === "message");
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
