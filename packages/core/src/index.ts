export { BUILT_IN_COMMANDS } from "./commands/registry.ts";
export { BUILT_IN_TOOLS } from "./tools/registry.ts";
export { createStepLoop, type ModelCall } from "./agent/step-loop.ts";
export { type AccountChange, type ConfigDiff, diffConfig } from "./config/diff.ts";
export { isShowableWord, showPath } from "./config/found.ts";
export { configJsonSchema, editorJsonSchema, type JsonSchema, schemaAt } from "./config/json-schema.ts";
export { findNearest } from "./config/nearest.ts";
export { hasIdKeys, isSecretPlace, isUrlPlace } from "./config/places.ts";
export { splitPostgresUrl } from "./config/postgres-url.ts";
export {
  type ConfigContext,
  type ConfigPath,
  type ConfigProblem,
  type ConfigProblemCode,
  formatPath,
  warning,
  type WrittenScalar,
} from "./config/problem.ts";
export { type ConfigReading, readConfig } from "./config/read-config.ts";
export { AGENT_KEYS, FILE_KEYS } from "./config/schema.ts";
export { unquotedId } from "./config/types.ts";
export type { AccountStatus } from "./connections/account-state.ts";
export type { AmbiguityCounts } from "./delivery/context.ts";
export { createDeadLetterDesk, type DeadLetter, type DeadLetterDesk, formatDeadLetter } from "./delivery/dead-letter-desk.ts";
export type { Deps } from "./deps.ts";
export { dispatchInboundMessage, dispatchReplyFromConfig } from "./dispatch.ts";
export { explainMessage, type Explanation, formatExplanation } from "./explain/explain.ts";
export { dryRun, type DryRun, type DryRunDeps, type DryRunQuery } from "./explain/dry-run.ts";
export { formatAccess, formatDryRun, formatRoute } from "./explain/format-dry-run.ts";
export { createHooks } from "./hooks/hooks.ts";
export { shouldSkipDuplicateInbound } from "./inbound/accept.ts";
export { markdownToIR, markdownToIRWithMeta } from "./markdown/ir.ts";
export { chunkIR } from "./markdown/chunk.ts";
export { plainProfile } from "./markdown/plain.ts";
export { renderMarkdownWithMarkers } from "./markdown/render/markers.ts";
export { convertMarkdownTables } from "./markdown/table/convert.ts";
export { renderParts } from "./markdown/render-parts.ts";
export { type AccessDesk, createAccessDesk, type PairingChoice, type PairingRequest } from "./pairing/desk.ts";
export { createPipeline, type Pipeline, type PipelineCounts, type PipelineOptions, type Trouble } from "./pipeline.ts";
export { createAiSdkProvider } from "./providers/ai-sdk/provider.ts";
export { createDemoProvider } from "./providers/demo.ts";
export { KEY_VARIABLES } from "./providers/key-variables.ts";
export { createOpenAiCompatibleProvider } from "./providers/openai-compatible.ts";
export { createModelRegistry, type ModelRegistry } from "./providers/registry.ts";
export { getReplyFromConfig, runPreparedReply } from "./reply/get-reply.ts";
export { type CommitReply, ReplyDispatcher } from "./reply/dispatcher.ts";
export { createReplyPrefixContext, type ReplyPrefixContext } from "./reply/prefix.ts";
export { resolveConversationLabel } from "./reply/labels.ts";
export { parseInlineDirectives, parseReplyDirectives } from "./shaping/directives.ts";
export { HEARTBEAT_TOKEN } from "./shaping/heartbeat.ts";
export { splitMediaFromOutput } from "./shaping/media.ts";
export {
  formatOutboundPayloadLog,
  isRenderablePayload,
  mergeMediaUrls,
  normalizeOutboundPayloads,
  normalizeOutboundPayloadsForJson,
  normalizeReplyPayloadsForDelivery,
} from "./shaping/payloads.ts";
export { shouldSuppressReasoningPayload } from "./shaping/reasoning.ts";
export { isMessagingToolDuplicateNormalized, normalizeTextForComparison } from "./shaping/sent-texts.ts";
export { isSilentReplyText, SILENT_REPLY_TOKEN } from "./shaping/silent.ts";
export type { AccessKey, AccessRow } from "./store/access.ts";
export { type Backup, listBackups } from "./store/backups.ts";
export { backUpDatabase, type DatabaseFile, databasePath, readDatabaseFile, requireIntact } from "./store/database-file.ts";
export { restoreDatabase, type Restored } from "./store/sqlite-restore.ts";
export { acquireInstanceLock, type InstanceLock } from "./store/instance-lock.ts";
export { requireLocalDisk } from "./store/sqlite-file.ts";
export { probeStore } from "./store/probe.ts";
export { formatToolAggregate } from "./tools/display/aggregate.ts";
export { shortenHomePath, shortenMeta } from "./tools/display/home-path.ts";
export { formatToolSummary, resolveToolDisplay, type ToolDisplay } from "./tools/display/tool-display.ts";
export { extractMessagingToolSend, isMessagingTool, isMessagingToolSendAction, type MessagingToolSend } from "./tools/messaging.ts";
export type { OpenedStore } from "./store/gateway-store.ts";
export { inspectStore, openStore, type OpenStoreOptions } from "./store/open.ts";
