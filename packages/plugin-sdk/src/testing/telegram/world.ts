import type { Clock } from "../../clock.ts";
import type { Audit } from "./audit.ts";
import type { Chats } from "./chats.ts";
import type { Files } from "./files.ts";
import type { Messages, StoredMessage } from "./messages.ts";
import type { Signal } from "./signal.ts";
import type { Updates } from "./updates.ts";
import type { WireMessage, WireUser } from "./wire.ts";

/** The state of the emulated platform; it outlives restarts of the server. */
export interface World {
  readonly clock: Clock;
  readonly bot: WireUser;
  /** Answered to getMe, beyond the fields of the bot as a user. */
  readonly botSettings: Readonly<Record<string, unknown>>;
  readonly chats: Chats;
  readonly messages: Messages;
  readonly files: Files;
  readonly updates: Updates;
  readonly audit: Audit;
  readonly signal: Signal;
  /** Commands by scope and language, as setMyCommands left them. */
  readonly commands: Map<string, unknown>;
  /** The bot's reaction on a message, by "chat/message". */
  readonly reactions: Map<string, unknown>;
  /** Ids of callback queries that were not answered yet. */
  readonly callbacks: Set<string>;
}

/** Adds a message to the world: people see it, the audit log has it. */
export function publish(world: World, wire: WireMessage, from: "bot" | "user"): StoredMessage {
  const stored: StoredMessage = { wire, from, at: world.clock.now() };
  world.messages.add(stored);
  record(world, "sent", wire, from);
  return stored;
}

/** Puts a changed message in the place of the old one. */
export function republish(world: World, old: StoredMessage, wire: WireMessage): StoredMessage {
  const stored: StoredMessage = { ...old, wire, editedAt: world.clock.now() };
  world.messages.replace(stored);
  record(world, "edited", wire, old.from);
  return stored;
}

/** Takes a message away. */
export function unpublish(world: World, old: StoredMessage): void {
  world.messages.remove(old.wire.chat.id, old.wire.message_id);
  record(world, "deleted", old.wire, old.from);
}

/** Seconds since the epoch, as every date on the wire. */
export function wireDate(world: World): number {
  return Math.floor(world.clock.now() / 1000);
}

/** A message as it is shown inside another one: without what it replies to itself. Source: core.telegram.org/bots/api#message. */
export function asReplied(wire: WireMessage): WireMessage {
  const { reply_to_message: _dropped, ...rest } = wire;
  return rest;
}

function record(world: World, kind: "sent" | "edited" | "deleted", wire: WireMessage, from: "bot" | "user"): void {
  const text = wire.text ?? wire.caption;
  world.audit.recordSeen({
    kind,
    chatId: wire.chat.id,
    messageId: wire.message_id,
    from,
    ...(text === undefined ? {} : { text }),
    at: world.clock.now(),
  });
  world.signal.notify();
}
