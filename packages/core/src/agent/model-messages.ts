import type { ModelInfo, ModelMessage, ModelOpaque } from "@trunkline/plugin-sdk";
import { quoteLabel } from "../reply/labels.ts";

/** Largest opaque part that stays in a transcript, in characters of JSON: it goes along with every later prompt. */
const KEPT_OPAQUE_CHARS = 32 * 1024;

/** The conversation for one model: what another model attached to its answers is left out, and images become names where it cannot see. Pure. */
export function messagesFor(model: string, info: ModelInfo | undefined, messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const sees = info?.input?.includes("image") ?? false;
  return messages.map((message) => {
    if (message.role === "assistant" && message.opaque !== undefined && message.opaque.model !== model) return withoutOpaque(message);
    if (message.role !== "user" || sees || message.images === undefined) return message;
    const names = message.images.map(({ name }) => `\n(attached file: ${quoteLabel(name ?? "image")})`);
    return { role: "user", text: message.text + names.join("") };
  });
}

/** An answer as it stays in the transcript. Within a turn its provider gets back everything; later, what is small enough. Pure. */
export function forTranscript(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || message.opaque === undefined) return message;
  return sizeOf(message.opaque) > KEPT_OPAQUE_CHARS ? withoutOpaque(message) : message;
}

function withoutOpaque({ opaque: _opaque, ...rest }: ModelMessage & { role: "assistant" }): ModelMessage {
  return rest;
}

function sizeOf(opaque: ModelOpaque): number {
  return JSON.stringify(opaque.data)?.length ?? 0;
}
