import type { ConfigSnapshot, StoreTx } from "@trunkline/plugin-sdk";
import { accountPath } from "../access/access.ts";
import { CODE_LENGTH, CODE_VALID_MS, codeFrom, decidePairing, type PairingVerdict } from "../access/pairing.ts";
import { composeNotice } from "../delivery/notice.ts";
import type { Deps } from "../deps.ts";
import { acceptJudged, type Judged, withOrigin } from "../inbound/accept.ts";
import { filledText } from "../reply/texts.ts";
import { turnIdOf } from "../reply/rows.ts";
import type { AcceptResult } from "../store/inbox.ts";
import { insertParts, type OutboxRow } from "../store/outbox.ts";
import { countAttempt, deleteExpiredPairings, livePairings, type PairingRow, savePairing } from "../store/pairings.ts";
import { codeNotice, pairingKeyOf } from "./pairing-key.ts";

/** A stranger's message after its part of transaction A. */
export interface AcceptedStranger {
  /** With the decision about the code. */
  readonly judged: Judged;
  readonly result: AcceptResult;
  /** The code's message; nothing for a repeated request. */
  readonly parts: readonly OutboxRow[];
}

/**
 * A stranger's part of transaction A: the decision about a code, the claim, the request and the code's message, all or nothing. A
 * crash can therefore neither lose the code nor send two, and messages that come at the same time see each other's request.
 */
export async function acceptStranger(tx: StoreTx, judged: Judged, config: ConfigSnapshot, deps: Deps): Promise<AcceptedStranger> {
  const now = deps.clock.now();
  const key = pairingKeyOf(judged.message, deps);
  const live = await livePairings(tx, { ...key, now });
  const verdict = decidePairing(
    {
      own: live.find(({ sender }) => sender === key.sender),
      waiting: live.filter(({ state }) => state === "pending").length,
    },
    `${accountPath(judged.message)}.dmPolicy`,
  );
  const decided = withPairing(judged, verdict, config);
  const result = await acceptJudged(tx, decided);
  if (result.duplicate) return { judged: decided, result, parts: [] };
  if (!verdict.send) {
    if (verdict.disposition === "pairing") await countAttempt(tx, key);
    return { judged: decided, result, parts: [] };
  }
  const code = codeFrom(deps.secureBytes(CODE_LENGTH));
  const row: PairingRow = { ...key, code, state: "pending", attempts: 0, createdAt: now, expiresAt: now + CODE_VALID_MS };
  await deleteExpiredPairings(tx, { ...key, now });
  await savePairing(tx, row);
  return { judged: decided, result, parts: await insertParts(tx, codeParts(row, decided, result, config, deps)) };
}

function withPairing(judged: Judged, { disposition, decision }: PairingVerdict, config: ConfigSnapshot): Judged {
  const decisions = [...judged.verdict.decisions, decision];
  return {
    ...judged,
    verdict: { ...judged.verdict, disposition, decisions },
    row: { ...judged.row, disposition, decisionsJson: JSON.stringify(decisions.map((one) => withOrigin(one, config))) },
  };
}

function codeParts(row: PairingRow, { message, row: inbox }: Judged, result: AcceptResult, config: ConfigSnapshot, deps: Deps) {
  const channel = deps.channels.get(row.channel);
  const account = config.config.channels[row.channel]?.accounts[row.account];
  if (!channel || !account) return []; // decided before: only a configured account pairs
  const { texts, silentToken } = config.config.messages;
  return composeNotice(
    {
      kind: "pairing",
      text: filledText("pairing", texts, { code: row.code }),
      conversation: message.conversation,
      sendAs: message.receivedAs,
      ...codeNotice(row),
      turn: turnIdOf(inbox.id),
      seq: result.seq,
    },
    { channel, account, silentToken, ids: deps.ids, now: row.createdAt },
  );
}
