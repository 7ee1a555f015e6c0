import {
  type ChannelCapabilities,
  type ChannelHost,
  type ConnectingChannel,
  GatewayError,
  type OutboundPart,
  type PreviewUpdate,
  type Receipt,
  type ReconcileEvidence,
  type ReconcileResult,
  type Transport,
} from "@trunkline/plugin-sdk";
import type { Gate } from "@trunkline/plugin-sdk/testing";
import { plainProfile } from "./markdown/plain.ts";

/** What one send does instead of succeeding. `effect`: the platform shows the part all the same. */
export interface SendFault {
  readonly error?: unknown;
  readonly effect?: boolean;
  /** Waits here before it goes on. */
  readonly gate?: Gate;
}

/** A platform in memory: what it shows, and what it was asked. For tests only. */
export interface FakeChannel {
  readonly plugin: ConnectingChannel;
  readonly transport: Transport;
  /** What people see, in order. */
  readonly visible: readonly OutboundPart[];
  /** Every call of `send`, also those that failed. */
  readonly attempts: readonly OutboundPart[];
  /** Every call of `edit` and `remove`, also those that failed. */
  readonly changes: readonly { readonly op: "edit" | "remove"; readonly messageId: string; readonly text?: string }[];
  readonly previews: readonly PreviewUpdate[];
  readonly asked: readonly { readonly part: OutboundPart; readonly evidence: ReconcileEvidence }[];
  /** Times that typing was shown. */
  typings(): number;
  /** The texts that people see. */
  texts(): readonly string[];
  /** Faults of the next sends, one each; `{}` lets one pass. */
  next(...faults: readonly SendFault[]): void;
  /** The same for the next edits and removals. */
  nextChange(...faults: readonly SendFault[]): void;
  /** Answers of the next reconciliations; without one, the platform looks whether it shows the part. */
  nextReconcile(...results: readonly (ReconcileResult | Error)[]): void;
  /** The host of the connected account. */
  host(): ChannelHost;
  /** Faults of the next starts. */
  nextStart(...faults: readonly unknown[]): void;
  stops(): number;
}

export interface FakeChannelOptions {
  readonly id?: string;
  readonly capabilities?: Partial<ChannelCapabilities>;
  readonly plugin?: Partial<ConnectingChannel>;
  /** Most characters of one message. */
  readonly limit?: number | null;
}

/** Creates a platform with one account. */
export function createFakeChannel({ id = "fake", capabilities = {}, plugin = {}, limit = null }: FakeChannelOptions = {}): FakeChannel {
  const shown: (OutboundPart | undefined)[] = [];
  const changes: { op: "edit" | "remove"; messageId: string; text?: string }[] = [];
  const changeFaults: SendFault[] = [];
  const attempts: OutboundPart[] = [];
  const previews: PreviewUpdate[] = [];
  const asked: { part: OutboundPart; evidence: ReconcileEvidence }[] = [];
  const faults: SendFault[] = [];
  const results: (ReconcileResult | Error)[] = [];
  const startFaults: unknown[] = [];
  let typings = 0;
  let stops = 0;
  let host: ChannelHost | undefined;

  const show = (part: OutboundPart): Receipt => {
    shown.push(part);
    return { messageId: `${1000 + shown.length}` };
  };
  const change = async (op: "edit" | "remove", messageId: string, part?: OutboundPart): Promise<void> => {
    changes.push({ op, messageId, ...(part?.text === undefined ? {} : { text: part.text.plain }) });
    const fault = changeFaults.shift();
    if (fault?.gate) await fault.gate.pass();
    const at = Number(messageId) - 1001;
    if (fault?.error === undefined || fault.effect) shown[at] = part;
    if (fault?.error !== undefined) throw fault.error;
  };
  const transport: Transport = {
    async start() {
      if (startFaults.length > 0) throw startFaults.shift();
    },
    async stop() {
      stops += 1;
    },
    async send(part, signal) {
      attempts.push(part);
      const fault = faults.shift();
      if (fault?.gate) await Promise.race([fault.gate.pass(), aborted(signal)]);
      if (fault?.error === undefined) return show(part);
      if (fault.effect) show(part);
      throw fault.error;
    },
    async edit(part, messageId) {
      await change("edit", messageId, part);
      return { messageId };
    },
    remove: (_part, messageId) => change("remove", messageId),
    previewEveryMs: () => 1000,
    async typing() {
      typings += 1;
    },
    typingRefreshMs: 4000,
    preview: (update) => void previews.push(update),
    async reconcile(part, evidence) {
      asked.push({ part, evidence });
      const result = results.shift();
      if (result instanceof Error) throw result;
      if (result) return result;
      const at = shown.findIndex((one) => one?.key === part.key);
      return at === -1 ? { outcome: "absent" } : { outcome: "sent", receipt: { messageId: `${1001 + at}` } };
    },
  };
  return {
    transport,
    get visible() {
      return shown.filter((part) => part !== undefined);
    },
    attempts,
    changes,
    previews,
    asked,
    typings: () => typings,
    stops: () => stops,
    texts: () => shown.flatMap((part) => (part === undefined ? [] : [part.text?.plain ?? ""])),
    next: (...more) => void faults.push(...more),
    nextChange: (...more) => void changeFaults.push(...more),
    nextReconcile: (...more) => void results.push(...more),
    nextStart: (...more) => void startFaults.push(...more),
    host() {
      if (!host) throw new GatewayError("GATEWAY_BUG", { detail: { reason: "the account is not connected" } });
      return host;
    },
    plugin: {
      id,
      label: "Fake",
      capabilities: {
        chatKinds: ["direct", "group", "channel"],
        media: ["image", "document"],
        threads: true,
        reactions: false,
        edit: false,
        typing: true,
        preview: "draft",
        buttons: false,
        nativeCommands: false,
        delivery: "reconcilable",
        ...capabilities,
      },
      configSchema: {
        "~standard": {
          version: 1,
          vendor: "fake",
          validate: (value) => ({ value: value as Readonly<Record<string, unknown>> }),
          jsonSchema: { input: () => ({}) },
        },
      },
      secretKeys: [],
      render: () => ({ ...plainProfile, limit, captionLimit: 20 }),
      conversation: {
        caseSensitive: false,
        format: (conversation) => conversation.id,
        parse: (text) => ({ kind: "direct", id: text }),
        normalizeTarget: (target) => ({ ok: true, id: { kind: "direct", id: target } }),
        labelNeedsId: () => false,
      },
      access: { normalizeId: (sender) => sender.trim().toLowerCase() },
      mentions: { strip: (text) => text.replace(/^@bot\s+/i, "") },
      connect(_config, given) {
        host = given;
        return transport;
      },
      ...plugin,
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
