import { systemClock, type Clock } from "../../clock.ts";
import { Audit, LOG_LIMIT } from "./audit.ts";
import { Chats, type ChatAccess, type EmulatedChat } from "./chats.ts";
import { Faults } from "./faults.ts";
import { Files } from "./files.ts";
import { RateLimiter, type RateLimits } from "./limits.ts";
import { Messages } from "./messages.ts";
import { People, type Person, type Sent, type SentContent } from "./people.ts";
import { createRandom } from "./random.ts";
import { BotApiServer } from "./server.ts";
import { Signal } from "./signal.ts";
import { Updates } from "./updates.ts";
import type { WireUpdate, WireUser } from "./wire.ts";
import type { World } from "./world.ts";

/** How to set up an emulator; everything has a default. */
export interface TelegramEmulatorOptions {
  /** `<bot id>:<secret>`. */
  readonly token?: string;
  readonly botUsername?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly clock?: Clock;
  /** Of the generator behind faults. */
  readonly seed?: number;
  /** In groups the bot sees only commands, mentions and replies to it. Default false. */
  readonly privacyMode?: boolean;
  readonly limits?: RateLimits;
}

/**
 * A Telegram Bot API on loopback, as strict as the real one, with people, faults and an audit log.
 * Unmodified bot libraries talk to it through their `apiRoot` option.
 */
export interface TelegramEmulator {
  /** `http://127.0.0.1:PORT`, the same over restarts. */
  readonly apiRoot: string;
  readonly token: string;
  /** The bot, as getMe describes it. */
  readonly bot: WireUser;
  readonly audit: Audit;
  readonly faults: Faults;

  /** Opens the private chat with a person, or returns it. */
  privateChat(person: Person): EmulatedChat;
  /** Adds a group with the bot in it. Ids: negative; supergroups and forums -100 followed by digits. */
  group(group: { id: number; title: string; supergroup?: boolean; forum?: boolean; username?: string }): EmulatedChat;
  /** Opens, closes or deletes a topic of a forum. */
  setTopic(chat: EmulatedChat, threadId: number, state: "open" | "closed" | "deleted"): void;
  /** Sets whether the bot may write into a chat. */
  setAccess(chat: EmulatedChat, access: ChatAccess): void;
  /** Turns a basic group into a supergroup. */
  migrate(chat: EmulatedChat, newId: number): EmulatedChat;

  /** A person sends a message. */
  send(chat: EmulatedChat, from: Person | WireUser | number, content: SentContent): Sent;
  /** A person edits their message. */
  edit(chat: EmulatedChat, messageId: number, content: Pick<SentContent, "text" | "caption" | "entities">): Sent;
  /** A person deletes a message. */
  remove(chat: EmulatedChat, messageId: number): void;
  /** A person presses a button; returns the id of the callback query. */
  press(chat: EmulatedChat, from: Person | WireUser | number, messageId: number, data: string): string;
  /** Queues an update of any shape. */
  injectUpdate(fields: Readonly<Record<string, unknown>>): WireUpdate;
  /** Hands an update out once more, confirmed or not; false when it is not known any more. */
  repeatUpdate(updateId: number): boolean;
  /** Updates that the bot has not confirmed yet. */
  readonly pendingUpdates: number;
  /** Whether a long poll of the bot waits right now: it is up, and has taken all there was. */
  readonly polling: boolean;

  /** Switches rate limits on or off. */
  setLimits(limits: RateLimits): void;
  /**
   * Resolves with the first value of `predicate` that is neither false nor undefined; checked when something happens.
   * @throws RangeError after `timeoutMs` (default 10,000).
   */
  waitFor<T>(predicate: (audit: Audit) => T | false | undefined, options?: { timeoutMs?: number }): Promise<T>;

  /** Ends an outage. */
  start(): Promise<void>;
  /** Begins an outage: every connection breaks, the port is closed, the state stays. */
  stop(): Promise<void>;
  /** `stop`, then `start` on the same port. */
  restart(): Promise<void>;
  /** Releases every held call and stops for good. */
  close(): Promise<void>;
}

const DEFAULT_TOKEN = "7000000001:emulated-token-for-tests-only";
const DEFAULT_TIMEOUT_MS = 10_000;
const FIRST_UPDATE_ID = 100_000_000;

/** Starts an emulator. Close it when done. Rejects when the port is taken. */
export async function createTelegramEmulator(options: TelegramEmulatorOptions = {}): Promise<TelegramEmulator> {
  const { token = DEFAULT_TOKEN, seed = 1 } = options;
  const random = createRandom(seed);
  const world = createWorld(options, token, FIRST_UPDATE_ID + Math.floor(random() * FIRST_UPDATE_ID));
  const faults = new Faults(random);
  const limiter = new RateLimiter(options.limits ?? {});
  const server = new BotApiServer({ world, faults, limiter, random }, token, options.port ?? 0);
  const people = new People(world, options.privacyMode ?? false);
  await server.start();
  return {
    get apiRoot() {
      return `http://127.0.0.1:${server.port}`;
    },
    token,
    bot: world.bot,
    audit: world.audit,
    faults,
    ...actsOf(people),
    setTopic: (chat, threadId, state) => world.chats.setTopic(chat.id, threadId, state),
    setAccess: (chat, access) => world.chats.setAccess(chat.id, access),
    repeatUpdate: (updateId) => world.updates.repeat(updateId),
    get pendingUpdates() {
      return world.updates.pending;
    },
    get polling() {
      return world.updates.polling;
    },
    setLimits: (limits) => {
      limiter.limits = limits;
    },
    waitFor: (predicate, { timeoutMs = DEFAULT_TIMEOUT_MS } = {}) =>
      world.signal.waitFor(
        () => predicate(world.audit),
        timeoutMs,
        () => describe(world),
      ),
    start: () => server.start(),
    stop: () => server.stop(),
    restart: async () => {
      await server.stop();
      await server.start();
    },
    close: async () => {
      faults.clear();
      await server.stop();
    },
  };
}

type Acts = Pick<TelegramEmulator, "privateChat" | "group" | "migrate" | "send" | "edit" | "remove" | "press" | "injectUpdate">;

function actsOf(people: People): Acts {
  return {
    privateChat: (person) => people.privateChat(person),
    group: (group) => people.group(group),
    migrate: (chat, newId) => people.migrate(chat, newId),
    send: (chat, from, content) => people.send(chat, from, content),
    edit: (chat, messageId, content) => people.edit(chat, messageId, content),
    remove: (chat, messageId) => people.remove(chat, messageId),
    press: (chat, from, messageId, data) => people.press(chat, from, messageId, data),
    injectUpdate: (fields) => people.injectUpdate(fields),
  };
}

function createWorld(options: TelegramEmulatorOptions, token: string, firstUpdateId: number): World {
  const clock = options.clock ?? systemClock;
  const messages = new Messages(LOG_LIMIT);
  // A test's deadline is real time, also under a virtual clock.
  const signal = new Signal(systemClock);
  return {
    clock,
    bot: {
      id: Number.parseInt(token, 10) || 7_000_000_001,
      is_bot: true,
      first_name: "Emulated Bot",
      username: options.botUsername ?? "emulated_bot",
    },
    botSettings: {
      can_join_groups: true,
      can_read_all_group_messages: options.privacyMode !== true,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: false,
      allows_users_to_create_topics: false,
    },
    chats: new Chats(),
    messages,
    files: new Files(),
    updates: new Updates(clock, signal, firstUpdateId),
    audit: new Audit(messages),
    signal,
    commands: new Map(),
    reactions: new Map(),
    callbacks: new Set(),
  };
}

function describe(world: World): string {
  const calls = world.audit.calls();
  const last = calls
    .slice(-5)
    .map((call) => `${call.method} ${call.outcome.kind}`)
    .join(", ");
  const visible = world.audit.visible();
  const fromBot = visible.filter((message) => message.from === "bot").length;
  return `Visible: ${visible.length} messages, ${fromBot} of the bot; ${world.updates.pending} updates unconfirmed; last calls: ${last || "none"}.`;
}
