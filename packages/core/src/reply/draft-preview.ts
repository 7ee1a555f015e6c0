import type { Clock, RenderedPart, RenderProfile, Transport } from "@trunkline/plugin-sdk";
import { renderParts } from "../markdown/render-parts.ts";
import { previewText } from "../shaping/preview.ts";
import { NO_PREVIEW, type Preview } from "./preview.ts";
import type { Turn } from "./turn.ts";

/** Shortest time between two looks at a growing answer, in ms: nothing is parsed per streamed delta. */
const PREVIEW_EVERY_MS = 50;

/** Creates a preview by drafts: a volatile view that the channel shows and forgets. */
export function startDraftPreview(turn: Turn, profile: RenderProfile, transport: Transport, clock: Clock): Preview {
  if (!transport.preview) return NO_PREVIEW;
  const show = (text?: RenderedPart): void => {
    try {
      transport.preview?.({ conversation: turn.message.conversation, turn: turn.id, ...(text === undefined ? {} : { text }) });
    } catch {
      // Volatile: a transport that cannot show a draft does not take the turn with it.
    }
  };
  const { silentToken } = turn.config.config.messages;
  let latest = "";
  let cancel: (() => void) | undefined;
  let shown = false;
  let closed = false;
  const flush = (): void => {
    cancel = clock.timer(PREVIEW_EVERY_MS, () => {
      cancel = undefined;
      if (pending) flush();
    });
    pending = false;
    const [text] = renderParts(previewText(latest, { silentToken }), profile, { limit: null });
    if (!text) return;
    shown = true;
    show(text);
  };
  let pending = false;
  return {
    grow(text) {
      if (closed) return;
      latest = text;
      pending = true;
      if (cancel === undefined) flush();
    },
    resolve: async (rows) => rows,
    close() {
      closed = true;
      pending = false;
      cancel?.();
      if (shown) show();
    },
  };
}
