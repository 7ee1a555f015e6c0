import {
  type Clock,
  type ConversationRef,
  isGatewayError,
  type Logger,
  type OutboundPart,
  type Receipt,
  type Store,
  type Transport,
} from "@trunkline/plugin-sdk";
import type { Rates } from "../delivery/rates.ts";
import { previewText } from "../shaping/preview.ts";
import { findPart, type NewPart, partsOfTurn } from "../store/outbox.ts";
import { NO_PREVIEW, type Preview, type PreviewEnd } from "./preview.ts";
import type { TurnOutbox } from "./turn-outbox.ts";
import type { Turn } from "./turn.ts";

/** Nothing shows before an answer has grown for this long, ms: a quick one comes whole. */
const SHOW_AFTER_MS = 700;
/** Nothing shows before so many characters are visible. */
const SHOW_FROM = 40;
/** How often an answer is looked at until it shows, ms. */
const LOOK_EVERY_MS = 250;
/** Shortest time between two edits where the channel names none, ms. */
const EDIT_EVERY_MS = 1000;
/** Edits that fail one after the other; then the preview stands still. */
const FAILURES = 3;
/** How long an end waits for an edit on its way, ms: it must not arrive after what replaces it. */
const PATIENCE_MS = 5000;
/** The same where somebody stopped the answer, who is to hear so within a second: what the edit would show stays anyway. */
const STOPPED_PATIENCE_MS = 500;
/** How long a transport has to let go of an edit that was cut, ms. */
const CUT_MS = 250;

/** Why what is on its way is cut at the end. Made once: an abort without a reason takes a stack for each turn. */
const CLOSED = Object.assign(new Error("the preview is closed"), { name: "AbortError" });

export interface EditPreviewDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly rates: Rates;
  readonly logger: Logger;
}

/** The message that shows the growing answer. */
interface Shown {
  readonly part: OutboundPart;
  /** Number of this preview in its turn, from 0. */
  readonly n: number;
  /** Undefined until its receipt is known. */
  messageId: string | undefined;
}

/**
 * Creates a preview by edits: its first message is a part of the outbox with a receipt, the later edits are volatile, the newest wins, one
 * is in flight. What the answer begins with replaces it by one more edit; a turn that is resumed finds it in the outbox. `onVisible` is told
 * when its first message goes out.
 */
export function startEditPreview(
  turn: Turn,
  outbox: TurnOutbox,
  transport: Transport,
  deps: EditPreviewDeps,
  onVisible: () => void = () => {},
): Preview {
  return transport.edit === undefined ? NO_PREVIEW : new EditPreview(turn, outbox, transport, deps, onVisible);
}

class EditPreview implements Preview {
  readonly #turn: Turn;
  readonly #outbox: TurnOutbox;
  readonly #transport: Transport;
  readonly #deps: EditPreviewDeps;
  readonly #onVisible: () => void;
  readonly #conversation: ConversationRef;
  /** Cuts an edit that nobody waits for any more. */
  #cut = new AbortController();
  #latest = "";
  /** Monotonic ms of the first growth, and of the last look. */
  #began: number | undefined;
  #looked = 0;
  #grew = false;
  #cancel: (() => void) | undefined;
  #busy: Promise<void> | undefined;
  #closed = false;
  #shown: Shown | undefined;
  #text = "";
  /** Previews of this turn so far. */
  #count = 0;
  /** Failed edits in a row; Infinity once there is no message to edit. */
  #failures = 0;
  #sought: boolean;

  constructor(turn: Turn, outbox: TurnOutbox, transport: Transport, deps: EditPreviewDeps, onVisible: () => void) {
    this.#onVisible = onVisible;
    this.#turn = turn;
    this.#outbox = outbox;
    this.#transport = transport;
    this.#deps = deps;
    this.#conversation = turn.message.conversation;
    // Only an earlier start of the turn can have left one.
    this.#sought = !turn.resumed;
  }

  grow(text: string): void {
    if (this.#closed) return;
    this.#latest = text;
    this.#grew = true;
    this.#began ??= this.#deps.clock.monotonic();
    this.#schedule();
  }

  get isShown(): boolean {
    return this.#shown !== undefined;
  }

  /** What shows is a message already: it stays without being sent again. */
  freeze(): string {
    return "";
  }

  async resolve(rows: readonly NewPart[], end: PreviewEnd): Promise<readonly NewPart[]> {
    await this.#settle(end === "kept" ? STOPPED_PATIENCE_MS : PATIENCE_MS);
    await this.#seek();
    const shown = this.#shown;
    const gone = this.#failures === Infinity;
    if (end === "kept" || (rows.length === 0 && end === "aside")) return rows;
    this.#shown = undefined;
    this.#began = undefined;
    this.#text = "";
    this.#failures = 0;
    if (!shown || gone) return rows;
    const [first, ...rest] = rows;
    if (end === "replaced" && first && mayReplace(first, shown.part)) return [asEdit(first, shown.part), ...rest];
    // Behind what stands in its place: an answer is on the screen before its beginning goes.
    return [...rows, this.#outbox.removal(shown.part, shown.n)];
  }

  close(): void {
    this.#closed = true;
    this.#rest();
    this.#cut.abort(CLOSED);
  }

  #schedule(): void {
    if (this.#closed || this.#busy || this.#cancel || !this.#grew || this.#failures >= FAILURES) return;
    const now = this.#deps.clock.monotonic();
    const every = this.#shown ? (this.#transport.previewEveryMs?.(this.#conversation) ?? EDIT_EVERY_MS) : LOOK_EVERY_MS;
    const at = Math.max((this.#began ?? now) + SHOW_AFTER_MS, this.#looked + every);
    this.#cancel = this.#deps.clock.timer(Math.max(0, at - now), () => {
      this.#cancel = undefined;
      this.#grew = false;
      this.#looked = this.#deps.clock.monotonic();
      this.#busy = this.#look()
        .catch((error: unknown) => this.#deps.logger.debug({ turn: this.#turn.id, error: String(error) }, "a preview could not be shown"))
        .finally(() => {
          this.#busy = undefined;
          this.#schedule();
        });
    });
  }

  async #look(): Promise<void> {
    await this.#seek();
    const { silentToken } = this.#turn.config.config.messages;
    const row = await this.#outbox.preview(previewText(this.#latest, { silentToken }), this.#latest, this.#shown?.n ?? this.#count);
    if (!row) return;
    const part = JSON.parse(row.bodyJson) as OutboundPart; // just written from an OutboundPart
    if (!this.#shown) return this.#show(row, part);
    await this.#edit(this.#shown, part);
  }

  async #show(row: NewPart, part: OutboundPart): Promise<void> {
    const { text } = part;
    if (text === undefined || [...text.plain].length < SHOW_FROM || !this.#deps.rates.admits(this.#conversation)) {
      this.#grew = true;
      return;
    }
    this.#shown = { part, n: this.#count, messageId: undefined };
    this.#count += 1;
    this.#text = text.text;
    await this.#outbox.commit([row]);
    this.#onVisible();
  }

  async #edit(shown: Shown, { text }: OutboundPart): Promise<void> {
    if (text === undefined || text.text === this.#text) return;
    shown.messageId ??= await this.#find(shown);
    if (shown.messageId === undefined || !this.#deps.rates.tryEnter(this.#conversation)) {
      this.#grew = true;
      return;
    }
    const before = this.#text;
    this.#text = text.text;
    try {
      await this.#transport.edit?.({ ...shown.part, text }, shown.messageId, this.#cut.signal);
      this.#failures = 0;
    } catch (error) {
      this.#text = before;
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#grew = true;
    this.#failures += 1;
    if (isGatewayError(error, "DELIVERY_EDIT_GONE")) this.#failures = Infinity;
    if (isGatewayError(error, "DELIVERY_RETRY") && error.retryAfterMs !== undefined) {
      // A rate says nothing about this message: it rests, and goes on.
      this.#failures = 0;
      this.#deps.rates.limited(this.#conversation, error.detail["scope"] === "account" ? "account" : "chat", error.retryAfterMs);
    }
  }

  /** The platform's id of the shown message; one that was dropped shows nothing any more. */
  async #find({ part }: Shown): Promise<string | undefined> {
    const row = await this.#deps.store.read((tx) => findPart(tx, part.id));
    if (row === undefined || row.state === "cancelled" || row.state === "dead") this.#failures = Infinity;
    return row?.state === "sent" ? (JSON.parse(row.receiptJson ?? "{}") as Partial<Receipt>).messageId : undefined;
  }

  /** Takes over what an earlier start of this turn showed. */
  async #seek(): Promise<void> {
    if (this.#sought) return;
    this.#sought = true;
    const parts = await this.#deps.store.read((tx) => partsOfTurn(tx, this.#turn.id));
    const previews = parts.filter(({ kind, op }) => kind === "preview" && op === "send");
    const last = previews.at(-1);
    this.#count = previews.length;
    const taken = last && parts.some(({ bodyJson }) => (JSON.parse(bodyJson) as OutboundPart).replaces === last.id);
    if (!last || taken || last.state === "cancelled" || last.state === "dead") return;
    this.#shown = { part: JSON.parse(last.bodyJson) as OutboundPart, n: previews.length - 1, messageId: undefined };
  }

  /** Resolves when nothing is on its way, or when that takes too long: then it was cut. */
  async #settle(patienceMs: number): Promise<void> {
    this.#grew = false;
    this.#rest();
    if (!this.#busy) return;
    const patience = new AbortController();
    const late = this.#deps.clock
      .sleep(patienceMs, patience.signal)
      .then(() => this.#cut.abort())
      .then(() => this.#deps.clock.sleep(CUT_MS, patience.signal))
      .catch(() => {});
    await Promise.race([this.#busy, late]);
    patience.abort();
    if (this.#cut.signal.aborted) this.#cut = new AbortController();
    this.#rest();
  }

  /** Takes back the next look. */
  #rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** A message of text takes another text; its quote stays what it was. */
function mayReplace({ bodyJson, op }: NewPart, shown: OutboundPart): boolean {
  const part = JSON.parse(bodyJson) as OutboundPart;
  return op === "send" && (part.media ?? []).length === 0 && part.replyToId === shown.replyToId;
}

function asEdit(row: NewPart, shown: OutboundPart): NewPart {
  const part: OutboundPart = { ...(JSON.parse(row.bodyJson) as OutboundPart), replaces: shown.id };
  return { ...row, op: "edit", bodyJson: JSON.stringify(part) };
}
