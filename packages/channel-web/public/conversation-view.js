import { get, post } from "./api.js";
import { createEventStream } from "./event-stream.js";
import { createMessageList } from "./message-list.js";
import { showRichText } from "./rich-text.js";
import { createScroll } from "./scroll.js";
import { newId } from "./unsent.js";

/** One conversation on the screen: its messages, the answer that grows, and the stream that brings both. */

const TYPING_FOR = 6000;
/** Messages that stay in the page while the reader is at the end. */
const SHOWN = 300;

/**
 * Creates the view. `on`: `ready()` when it is known what there is, `denied()` when signed out, `connection(state, words)`,
 * `running(on)`, `conversations(list)`, `activity(c)`, `confirm(id)` for a message that the gateway has, `said(words)` for an answer that
 * is whole, `notice(words)`, `retry(id)` and `drop(id)`.
 */
export function createConversationView(on) {
  const find = (id) => document.getElementById(id);
  const client = newId();
  const list = createMessageList(find("log"), { retry: on.retry, drop: on.drop, press, react });
  const scroll = createScroll(find("scroller"), find("latest"), { nearTop: () => void loadOlder() });
  let c = "main";
  let stream;
  let preview;
  let typing = false;
  let typingTimer;
  let marks;
  let more = false;
  let loading = false;
  let settled = false;
  let acknowledged;

  const query = () => `c=${c}`;

  function changed() {
    find("welcome").hidden = !settled || list.size > 0 || preview !== undefined;
    find("older").hidden = !more;
    if (scroll.atEnd) more = list.trim(SHOWN) || more;
    else scroll.grown();
    find("older").hidden = !more;
  }

  function running() {
    on.running(typing || preview !== undefined);
  }

  function showPreview(next) {
    const live = find("live");
    preview = next;
    if (next === undefined) live.replaceChildren();
    else {
      showTyping(false);
      if (live.firstElementChild?.dataset.turn !== next.turn) {
        const body = document.createElement("div");
        body.className = "body";
        body.dataset.turn = next.turn;
        live.replaceChildren(body);
      }
      showRichText(live.firstElementChild, next.html);
    }
    running();
  }

  function showTyping(next) {
    clearTimeout(typingTimer);
    typing = next;
    find("typing").hidden = !next;
    if (next) typingTimer = setTimeout(showTyping, TYPING_FOR, false);
    running();
  }

  function showMessage(message) {
    if (message.direction === "in") {
      on.confirm(message.id);
      return list.show({ ...message, state: "sent" });
    }
    list.show({ ...message, reaction: marks.reactions[message.id], pressed: marks.pressed[message.id] });
  }

  function arrive(message) {
    if (message.direction === "out") {
      showTyping(false);
      if (message.turn !== undefined && preview?.turn === message.turn) showPreview(undefined);
      on.said(message.plain || (message.media ?? []).map(({ name }) => name).join(", "));
    }
    showMessage(message);
  }

  function mark({ reactions = {}, pressed = {} }) {
    marks = { reactions: { ...marks.reactions, ...reactions }, pressed: { ...marks.pressed, ...pressed } };
    for (const id of Object.keys(reactions)) list.change("out", id, { reaction: reactions[id] });
    for (const id of Object.keys(pressed)) list.change("out", id, { pressed: pressed[id] });
  }

  const arrivals = {
    snapshot(all) {
      marks = all.marks;
      more = all.more;
      showTyping(false);
      showPreview(all.preview ?? undefined);
      for (const message of all.messages) showMessage(message);
      settled = true;
    },
    async resume() {
      showPreview(undefined);
      const answer = await get(`web/marks?${query()}`);
      if (answer.ok) mark(answer.body);
    },
    message: arrive,
    echo: arrive,
    typing: () => preview === undefined && showTyping(true),
    preview: (next) => showPreview(next.html === "" ? undefined : next),
    marks: mark,
    conversations: ({ list: all }) => on.conversations(all),
    activity: ({ c: where }) => on.activity(where),
  };

  function connect() {
    const mine = createEventStream(`web/events?${query()}&client=${client}`, {
      event({ name, id, data }) {
        if (mine !== stream || !Object.hasOwn(arrivals, name)) return;
        void arrivals[name](data);
        changed();
        if (name === "snapshot" || name === "resume") on.ready();
        if (id !== undefined) acknowledge(Number(id.split(":")[1]));
        on.connection("open", "Connected");
      },
      state(state, why) {
        if (mine !== stream) return;
        if (state === "denied") return on.denied();
        showTyping(false);
        on.ready();
        on.connection("lost", why ?? (navigator.onLine ? "Reconnecting…" : "You are offline"));
      },
    });
    return mine;
  }

  /** Tells the gateway what this tab has shown; at most once in a while, and losing one loses nothing. */
  function acknowledge(seq) {
    const first = acknowledged === undefined;
    acknowledged = { c, client, seq };
    if (!first) return;
    setTimeout(() => {
      const body = acknowledged;
      acknowledged = undefined;
      if (body !== undefined) void post("web/ack", body, { keepalive: true });
    }, 1000);
  }

  async function loadOlder() {
    const { oldest } = list;
    if (!more || loading || oldest === undefined) return;
    loading = true;
    const here = c;
    const answer = await get(`web/history?${query()}&before=${oldest.at}:${encodeURIComponent(oldest.id)}`);
    loading = false;
    if (here !== c) return;
    if (!answer.ok) return on.notice("Older messages cannot be read now.");
    scroll.keep(() => {
      more = answer.body.more;
      for (const message of answer.body.messages.toReversed()) showMessage(message);
      find("older").hidden = !more;
    });
  }

  async function press(message, { n }) {
    list.change("out", message.id, { pressed: n });
    const answer = await post("web/buttons", { c, message: message.id, n });
    // Pressed in another tab: what was pressed there comes by the stream, or did.
    if (answer.ok) return;
    if (answer.status === 409) on.notice(answer.body?.error?.message ?? "");
    list.change("out", message.id, { pressed: marks.pressed[message.id] });
    if (answer.status !== 409) on.notice("The button could not be pressed. Try again.");
  }

  async function react(message, emoji) {
    const before = message.reaction;
    list.change("out", message.id, { reaction: emoji });
    const answer = await post("web/reactions", { c, clientId: newId(), message: message.id, emoji });
    if (answer.ok) return;
    list.change("out", message.id, { reaction: before });
    on.notice("The reaction did not get through.");
  }

  find("older").addEventListener("click", () => void loadOlder());

  return {
    get current() {
      return c;
    },
    get isEmpty() {
      return list.size === 0;
    },
    /** Shows another conversation, or the same anew. */
    open(next, waiting) {
      stream?.stop();
      c = next;
      list.clear();
      marks = { reactions: {}, pressed: {} };
      more = false;
      settled = false;
      acknowledged = undefined;
      showTyping(false);
      showPreview(undefined);
      for (const message of waiting) list.show(message);
      changed();
      scroll.toEnd();
      stream = connect();
      stream.start();
    },
    show(message) {
      list.show(message);
      changed();
    },
    remove(id) {
      list.remove("in", id);
      changed();
    },
    toEnd: scroll.toEnd,
    start: () => stream?.start(),
    stop: () => stream?.stop(),
    hurry: () => stream?.hurry(),
  };
}
