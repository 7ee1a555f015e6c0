export type { AgentEvent, AgentJournal, AgentRun, AgentRuntime, ModelStep, ToolResult } from "./agent.ts";
export type {
  AccountMemory,
  AccountState,
  ChannelActions,
  ChannelCapabilities,
  ChannelHost,
  ChannelPlugin,
  ConnectingChannel,
  FetchedMedia,
  HistoryEntry,
  MessageFragments,
  HttpHandler,
  HttpIdentity,
  KeptMedia,
  OutboundMedia,
  OutboundPart,
  PreviewUpdate,
  Receipt,
  ReceiveResult,
  ReconcileEvidence,
  ReconcileResult,
  RouteOptions,
  Transport,
} from "./channel.ts";
export { type Clock, systemClock } from "./clock.ts";
export { type CommandDefinition, type CommandResult, type CommandTurn, defineCommand, type SessionSettings } from "./command.ts";
export type {
  AccountConfig,
  AgentConfig,
  AgentDefaults,
  BindingConfig,
  ChannelConfig,
  ChunkMode,
  CommonAccountConfig,
  RateCaps,
  ReplyToMode,
  StreamingMode,
  Verbosity,
  ConfigOrigin,
  ConfigSnapshot,
  ConfigSource,
  DmScope,
  GatewayConfig,
  GroupConfig,
  MarkdownConfig,
  MessagesConfig,
  SilenceRule,
  ModelChoice,
  ProviderConfig,
  ProviderType,
  QueueConfig,
  QueueDrop,
  QueueMode,
} from "./config.ts";
export {
  type ConversationId,
  type ConversationRules,
  conversationKey,
  decodeKeyPart,
  encodeKeyPart,
  type MessageLink,
  type TargetResult,
} from "./conversation.ts";
export { ERROR_CODES, type ErrorCode } from "./error-codes.ts";
export { describeError, GatewayError, type GatewayErrorOptions, isGatewayError, toGatewayError } from "./errors.ts";
export type { FilterHooks, Hooks, ObserveHooks } from "./hooks.ts";
export { createIds, type IdPrefix, type Ids } from "./ids.ts";
export { type LogFields, type Logger, silentLogger } from "./logger.ts";
export {
  type Anchor,
  type ConversationKind,
  type ConversationRef,
  type Decision,
  type Disposition,
  DISPOSITIONS,
  type InboundMessage,
  type Sender,
} from "./message.ts";
export {
  MODEL_INPUTS,
  type ModelEvent,
  type ModelImage,
  type ModelInfo,
  type ModelInput,
  type ModelMessage,
  type ModelOpaque,
  type ModelProvider,
  type ModelRequest,
  type ModelToolCall,
  type ModelToolSpec,
  type ModelUsage,
  THINKING_LEVELS,
  type ThinkingLevel,
} from "./model.ts";
export type { MediaKind, MediaRef, ReplyKind, ReplyPayload } from "./payload.ts";
export { API_VERSION, defineChannel, definePlugin, type Plugin, type PluginContext } from "./plugin.ts";
export { NO_OWN_KEYS } from "./no-own-keys.ts";
export { createRedactor, type Redactor } from "./redact.ts";
export { isThisMachine } from "./this-machine.ts";
export { PLAIN_BLOCKS } from "./plain-blocks.ts";
export type * from "./render.ts";
export type { Schema, SchemaIssue, SchemaResult } from "./schema.ts";
export type { Durability, Store, StoreQuery, StoreRow, StoreStats, StoreTx } from "./store.ts";
export {
  AGENT_RUNTIME,
  CHANNELS,
  CLOCK,
  COMMANDS,
  CONFIG,
  createManyToken,
  createToken,
  HOOKS,
  IDS,
  LOGGER,
  type ManyToken,
  MODELS,
  STORE,
  type StoreFactory,
  STORES,
  type Token,
  TOOLS,
} from "./tokens.ts";
export { defineTool, type ToolContext, type ToolSend, type ToolDefinition } from "./tool.ts";
