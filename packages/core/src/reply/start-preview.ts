import type { Transport } from "@trunkline/plugin-sdk";
import type { Deps } from "../deps.ts";
import { startDraftPreview } from "./draft-preview.ts";
import { startEditPreview } from "./edit-preview.ts";
import { NO_PREVIEW, type Preview } from "./preview.ts";
import type { TurnOutbox } from "./turn-outbox.ts";
import type { Turn } from "./turn.ts";

/** The preview of a turn, as its channel declares it. Nothing is read, written or shown before the answer grows. */
export function startPreview(turn: Turn, outbox: TurnOutbox, transport: Transport | undefined, deps: Deps): Preview {
  const { preview } = turn.channel.capabilities;
  // Only the end of an answer may say that none of it is to be seen.
  if (turn.config.config.messages.silence === "strict") return NO_PREVIEW;
  if (!transport || (turn.account.streaming ?? "partial") !== "partial") return NO_PREVIEW;
  const onVisible = (): void => deps.hooks.emit("turn:visible", { turn: turn.id });
  if (preview === "draft") return startDraftPreview(turn, turn.channel.render(turn.account.own), transport, deps.clock, onVisible);
  if (preview === "edit") return startEditPreview(turn, outbox, transport, deps, onVisible);
  return NO_PREVIEW;
}
