import * as core from "@trunkline/core";
import { expect, it } from "vitest";

/** The names by which users of this kind of system speak of the reply pipeline. */
const PUBLIC = `dispatchInboundMessage dispatchReplyFromConfig shouldSkipDuplicateInbound getReplyFromConfig runPreparedReply
ReplyDispatcher parseReplyDirectives splitMediaFromOutput parseInlineDirectives isSilentReplyText isMessagingTool
isMessagingToolSendAction extractMessagingToolSend normalizeTextForComparison isMessagingToolDuplicateNormalized formatToolAggregate
shortenMeta resolveToolDisplay markdownToIR renderMarkdownWithMarkers convertMarkdownTables createReplyPrefixContext
resolveConversationLabel normalizeReplyPayloadsForDelivery normalizeOutboundPayloads normalizeOutboundPayloadsForJson
formatOutboundPayloadLog mergeMediaUrls isRenderablePayload shouldSuppressReasoningPayload resolveMessageContext parseExplicitLink
inferContextFromText buildContextChain SILENT_REPLY_TOKEN HEARTBEAT_TOKEN shortenHomePath markdownToIRWithMeta`.split(/\s+/);

/** Those that come with context resolution. Shrinks; never grows. */
const NOT_YET = ["resolveMessageContext", "parseExplicitLink", "inferContextFromText", "buildContextChain"];

it("exports the public names of the pipeline, but for the listed ones", () => {
  const missing = PUBLIC.filter((name) => !(name in core));
  console.log(`public names that do not exist yet: ${missing.join(", ") || "none"}`);
  expect(missing).toEqual(NOT_YET);
});
