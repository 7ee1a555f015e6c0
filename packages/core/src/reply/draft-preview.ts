import type { Clock, RenderedPart, RenderProfile, Transport } from "@trunkline/plugin-sdk";
import { renderOptionsOf } from "../delivery/markdown-rules.ts";
import { renderParts } from "../markdown/render-parts.ts";
import { previewText } from "../shaping/preview.ts";
import { withPrefix } from "../shaping/shape.ts";
import { NO_PREVIEW, type Preview } from "./preview.ts";
import type { Turn } from "./turn.ts";

/** Shortest time between two looks at a growing answer, in ms: nothing is parsed per streamed delta. */
const PREVIEW_EVERY_MS = 50;

/** Creates a preview by drafts: a volatile view that the channel shows and forgets. `onVisible` is told when something is seen first. */
export function startDraftPreview(
  turn: Turn,
  profile: RenderProfile,
  transport: Transport,
  clock: Clock,
  onVisible: () => void = () => {},
): Preview {
  if (!transport.preview) return NO_PREVIEW;
  const show = (text?: RenderedPart): void => {
    try {
      transport.preview?.({ conversation: turn.message.conversation, turn: turn.id, ...(text === undefined ? {} : { text }) });
    } catch {
      // Volatile: a transport that cannot show a draft does not take the turn with it.
    }
  };
  const { silentToken } = turn.config.config.messages;
  const rendering = renderOptionsOf(turn.account, turn.message.conversation);
  let latest = "";
  let visible = "";
  let cancel: (() => void) | undefined;
  let shown = false;
  let closed = false;
  const flush = (): void => {
    cancel = clock.timer(PREVIEW_EVERY_MS, () => {
      cancel = undefined;
      if (pending) flush();
    });
    pending = false;
    const decided = previewText(latest, { silentToken });
    const prefix = turn.prefix.next();
    const [text] = renderParts(prefix === undefined ? decided : withPrefix(prefix, decided), profile, { ...rendering, limit: null });
    if (!text) return;
    visible = decided;
    show(text);
    if (!shown) onVisible();
    shown = true;
  };
  let pending = false;
  const end = (): void => {
    closed = true;
    pending = false;
    cancel?.();
  };
  return {
    grow(text) {
      if (closed) return;
      latest = text;
      pending = true;
      if (cancel === undefined) flush();
    },
    get isShown() {
      return shown;
    },
    freeze() {
      end();
      return visible;
    },
    resolve: async (rows) => rows,
    close() {
      end();
      if (shown) show();
    },
  };
}
