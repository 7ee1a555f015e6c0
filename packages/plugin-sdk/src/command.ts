import type { QueueConfig } from "./config.ts";
import type { ConversationRef, Sender } from "./message.ts";

/** What a session remembers over resets. A setting that is absent follows the configuration. */
export interface SessionSettings {
  /** In a group: answer only when the bot is meant, or always. */
  readonly activation?: "mention" | "always";
  /** What it says differently from its agent's queue. */
  readonly queue?: Partial<QueueConfig>;
}

/** What a command sees of its turn, and what it can do. */
export interface CommandTurn {
  readonly conversation: ConversationRef;
  readonly sender: Sender;
  readonly agent: { readonly id: string; readonly name: string };
  /** Facts for /status, already fit to show: no keys, no fragments of them. */
  readonly status: () => Promise<readonly { readonly name: string; readonly value: string }[]>;
  /** Commands that this sender may use, for /help. */
  readonly commands: () => readonly CommandDefinition[];
  /** How many turns and waiting messages this message stopped. */
  readonly stopped: number;
  /** Starts a fresh session; the transcript stays in the store and out of the prompt. */
  resetSession(why: string): Promise<void>;
  /** What the session remembers now. */
  readonly settings: SessionSettings;
  /** Changes what the session remembers; it is kept in the transaction that keeps the command's answer. */
  changeSettings(change: SessionSettings): void;
}

/** What a command answers; `prompt` continues as an ordinary turn with that text. */
export interface CommandResult {
  readonly text?: string;
  readonly prompt?: string;
}

/** One command, one file. /help, permission checks and native menus come from the same object. */
export interface CommandDefinition {
  /** Without slash, [a-z0-9_]{1,32}. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly help: string;
  /** Usage of the arguments, for /help: `[text]`. */
  readonly usage?: string;
  readonly access: "authorised" | "owner";
  run(args: string, turn: CommandTurn): Promise<CommandResult>;
}

/** Types a command. */
export function defineCommand(command: CommandDefinition): CommandDefinition {
  return command;
}
