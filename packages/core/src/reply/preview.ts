import type { Clock, RenderedPart, RenderProfile, Transport } from "@trunkline/plugin-sdk";
import { renderParts } from "../markdown/render-parts.ts";
import { previewText } from "../shaping/preview.ts";
import type { Turn } from "./turn.ts";

/** Shortest time between two looks at a growing answer, in ms: nothing is parsed per streamed delta. */
const PREVIEW_EVERY_MS = 50;

/** Shows a growing answer where the channel can show a draft. Volatile: losing it loses nothing. */
export interface Preview {
  /** The raw answer so far. Cheap to call per delta. */
  grow(text: string): void;
  /** Whether anything of the answer was shown. */
  readonly isShown: boolean;
  /** Grows no more, and gives what the person sees: the shaped text, "" when nothing is shown. It stays until `close`. */
  freeze(): string;
  /** Takes the preview away; the final replaces it. */
  close(): void;
}

const NO_PREVIEW: Preview = { grow: () => {}, isShown: false, freeze: () => "", close: () => {} };

/** Creates the preview of a turn; one that does nothing where the channel has no drafts. `onVisible` is told when something is seen first. */
export function startPreview(
  turn: Turn,
  profile: RenderProfile,
  transport: Transport | undefined,
  clock: Clock,
  onVisible: () => void = () => {},
): Preview {
  if (!transport?.preview || turn.channel.capabilities.preview !== "draft") return NO_PREVIEW;
  const show = (text?: RenderedPart): void => {
    try {
      transport.preview?.({ conversation: turn.message.conversation, turn: turn.id, ...(text === undefined ? {} : { text }) });
    } catch {
      // Volatile: a transport that cannot show a draft does not take the turn with it.
    }
  };
  const { silentToken } = turn.config.config.messages;
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
    const [text] = renderParts(decided, profile, { limit: null });
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
    close() {
      end();
      if (shown) show();
    },
  };
}
