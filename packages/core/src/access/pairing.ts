import type { Decision, Disposition } from "@trunkline/plugin-sdk";

/** How long a code may be approved. Ms. */
export const CODE_VALID_MS = 60 * 60 * 1000;
/** How long a sender whom an operator turned down gets no new code. Ms. */
export const DENIED_MS = 24 * 60 * 60 * 1000;
/** People who may wait for an approval at one time, per account: an operator can look through three, and nobody can fill the list. */
export const WAITING_LIMIT = 3;
export const CODE_LENGTH = 8;

/** 32 characters that are told apart when read aloud: no I, O, 0, 1. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** The code that random bytes make, one byte a character. 32 divides 256, so that every character is as likely. Pure. */
export function codeFrom(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** A code as the table holds it, from what a person typed: spaces, dashes and the case of its letters do not matter. Pure. */
export function normalizeCode(typed: string): string {
  // Of ASCII letters only: an upper-cased ß or ﬁ would be letters that nobody typed.
  return typed.replace(/[\s-]/g, "").replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** What the table says about an account's requests when a stranger writes. */
export interface PairingState {
  /** The sender's own request, if it has not expired. */
  readonly own: { readonly state: "pending" | "denied" } | undefined;
  /** Requests of the account that wait for an operator. */
  readonly waiting: number;
}

/** What becomes of a stranger's message. `send`: make a code and tell it, once. */
export interface PairingVerdict {
  readonly send: boolean;
  readonly disposition: Extract<Disposition, "pairing" | "denied">;
  readonly decision: Decision;
}

/** Decides about a stranger's message: one code per sender and hour, at most three senders waiting per account. Pure. */
export function decidePairing({ own, waiting }: PairingState, path: string): PairingVerdict {
  if (own?.state === "denied")
    return verdict(false, "denied", "turned-down", "an operator turned the sender down less than a day ago", path);
  if (own) return verdict(false, "pairing", "waiting", "the sender has a code that waits for approval; nothing more is sent", path);
  if (waiting >= WAITING_LIMIT)
    return verdict(false, "denied", "too-many-waiting", `${WAITING_LIMIT} other people wait for approval; no code is sent`, path);
  return verdict(true, "pairing", "code-sent", "the sender gets a code, once; `trunkline pairing list` shows it for one hour", path);
}

function verdict(send: boolean, disposition: PairingVerdict["disposition"], code: string, why: string, path: string): PairingVerdict {
  return { send, disposition, decision: { stage: "pairing", code, why, path } };
}
