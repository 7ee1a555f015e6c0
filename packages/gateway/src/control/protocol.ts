import type {
  AccessKey,
  AccessRow,
  AccountStatus,
  Backup,
  DeadLetter,
  DeadLetterDesk,
  DryRun,
  Explanation,
  PairingRequest,
  PipelineCounts,
} from "@trunkline/core";
import { z } from "zod";
import type { ConfigStatus } from "../config/reload.ts";

const text = z.string().min(1).max(4096);
const letter = z.strictObject({ id: text });
const choice = z.strictObject({ channel: text, code: text, account: text.exactOptional() });

/**
 * The calls that the command line can make to a running gateway: each has a name and an argument. A new one is a line here, a line in
 * `ControlResults`, and what it does in gateway.ts.
 */
export const CONTROL_CALLS = {
  status: z.strictObject({}),
  explain: z.strictObject({ message: text }),
  dryRun: z.strictObject({
    channel: text,
    account: text.exactOptional(),
    peer: text,
    sender: text.exactOptional(),
    text: z.string().max(256_000).exactOptional(),
    mention: z.boolean().exactOptional(),
  }),
  pairingList: z.strictObject({}),
  pairingApprove: choice,
  pairingDeny: choice,
  accessList: z.strictObject({}),
  accessRemove: z.strictObject({ channel: text, account: text, sender: text }),
  signInLinks: z.strictObject({}),
  dlqList: z.strictObject({}),
  dlqShow: letter,
  dlqRetry: letter,
  dlqDrop: letter,
  storeBackup: z.strictObject({ file: text.exactOptional() }),
  storeStatus: z.strictObject({}),
} as const;

export type ControlCall = keyof typeof CONTROL_CALLS;

/** What each call gives back. */
interface ControlResults {
  status: GatewayStatus;
  explain: Explanation;
  dryRun: DryRun;
  pairingList: readonly PairingRequest[];
  pairingApprove: AccessRow;
  pairingDeny: AccessKey;
  accessList: readonly AccessRow[];
  accessRemove: AccessKey;
  signInLinks: SignInLinks;
  dlqList: Awaited<ReturnType<DeadLetterDesk["list"]>>;
  dlqShow: Awaited<ReturnType<DeadLetterDesk["show"]>>;
  dlqRetry: DeadLetter;
  dlqDrop: DeadLetter;
  storeBackup: { readonly file: string };
  storeStatus: StoreStatus;
}

/** A sign-in link for each role. Each holds a token: for a terminal, never for a log. */
export interface SignInLinks {
  readonly admin: string;
  readonly chat: string;
}

/** The store on its disk, as `trunkline store status --json` prints it. Null where it is not a file, or there is none yet. */
export interface StoreStatus {
  readonly place: string;
  /** Bytes. */
  readonly size: number | null;
  readonly schema: number | null;
  /** The newest schema that the answering program knows. */
  readonly known: number | null;
  readonly backups: readonly Backup[];
  /** Of the data folder's disk. */
  readonly freeBytes: number | null;
}

/** What the command line can ask a running gateway. */
export type ControlApi = {
  readonly [Call in ControlCall]: (args: z.output<(typeof CONTROL_CALLS)[Call]>) => Promise<ControlResults[Call]>;
};

/** Whether a name is a call's: a path comes from outside, and `constructor` is no call. */
export function isControlCall(name: string): name is ControlCall {
  return Object.hasOwn(CONTROL_CALLS, name);
}

/** The whole state of a gateway, as `trunkline status --json` prints it. */
export interface GatewayStatus {
  readonly version: string;
  readonly url: string | null;
  readonly dataFolder: string;
  /** ms UTC. */
  readonly startedAt: number;
  readonly config: ConfigStatus;
  readonly accounts: readonly AccountStatus[];
  /** Why no messages are taken in; empty when they are. */
  readonly trouble: readonly { readonly code: string; readonly message: string; readonly hint: string }[];
  readonly messages: PipelineCounts["messages"];
  readonly openParts: number;
  readonly openPartsSince: PipelineCounts["openPartsSince"];
  readonly deadLetters: number;
  readonly ambiguity: PipelineCounts["ambiguity"];
  readonly strangersCounted: PipelineCounts["strangersCounted"];
}

/** An error on its way to the command line. */
export interface ControlProblem {
  readonly code: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly hint: string;
}
