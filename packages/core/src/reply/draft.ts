import type { Decision, Disposition, ReplyKind, ReplyPayload } from "@trunkline/plugin-sdk";
import type { Session, SessionChange } from "../sessions/sessions.ts";

/** How a turn ends, before shaping has had its say: `replied` becomes `silent` when nothing visible is left. */
export interface TurnClose {
  readonly disposition: Disposition;
  readonly decision: Decision;
  readonly session: Session;
  readonly change: SessionChange;
  /** `provider/model` that answered, when one did. */
  readonly model: string | null;
}

/** What `getReplyFromConfig` yields, in order; the last is `close`. */
export type ReplyDraft =
  /** The answer so far, raw; for previews only. */
  | { readonly type: "growing"; readonly text: string }
  /** One message of the answer is over. */
  | { readonly type: "paused" }
  | { readonly type: "reply"; readonly kind: "final"; readonly payload: ReplyPayload }
  /** Goes out at once. `place`: where the turn's journal keeps it. */
  | { readonly type: "reply"; readonly kind: Exclude<ReplyKind, "final">; readonly payload: ReplyPayload; readonly place: number }
  | { readonly type: "close"; readonly close: TurnClose };
