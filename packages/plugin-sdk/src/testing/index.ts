export { storeContract, type StoreContractOptions, type StoreUnderTest } from "./store-contract.ts";
export { createTelegramEmulator, type TelegramEmulator, type TelegramEmulatorOptions } from "./telegram/emulator.ts";
export type { Audit, AuditCall, CallOutcome, TimelineEntry, VisibleMedia, VisibleMessage } from "./telegram/audit.ts";
export type { ChatAccess, EmulatedChat } from "./telegram/chats.ts";
export type { FaultKind, Faults, FaultSpec, HeldCall, InjectedFault } from "./telegram/faults.ts";
export type { RateLimits } from "./telegram/limits.ts";
export type { Person, Sent, SentContent, SentFile } from "./telegram/people.ts";
export type { WireChat, WireEntity, WireMessage, WireUpdate, WireUser } from "./telegram/wire.ts";
export { createTextTool, type TextArgs } from "./text-tool.ts";
export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
export {
  callTool,
  createGate,
  createScriptedModel,
  end,
  fail,
  type Gate,
  hang,
  hold,
  say,
  type ScriptedModel,
  type ScriptStep,
  think,
} from "./scripted-model.ts";
