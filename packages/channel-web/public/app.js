import { createEventStream } from "./event-stream.js";
import { createMessageList } from "./message-list.js";
import { showRichText, watchCopyButtons } from "./rich-text.js";
import { signIn, takeTokenFromAddress, tokenIn } from "./sign-in.js";
import { createUnsent, newId } from "./unsent.js";

/** A tab that nobody looks at gives its connection back after a while: browsers allow six per host. Unit: ms. */
const HIDDEN_FOR = 60_000;
const TYPING_FOR = 6000;
/** Messages that stay in the page. */
const SHOWN = 500;
/** Distance from the end within which the reader counts as being at the end. Unit: px. */
const NEAR_END = 80;
/** What the gateway takes. Unit: bytes. */
const TEXT_LIMIT = 256 * 1024;

const find = (id) => document.getElementById(id);
const scroller = find("scroller");
const text = find("text");
const client = newId();
let preview;
let typingTimer;
let hiddenTimer;
let acknowledged;

// --- what is shown ---------------------------------------------------------------------------------------------------------------

const list = createMessageList(find("log"), { retry: (id) => unsent.retry(id), drop: (id) => unsent.drop(id) });

/** Whether the reader is at the end: then the end stays in view, whatever grows. Who reads further up is not moved. */
let atEnd = true;

function scrollToEnd() {
  atEnd = true;
  scroller.scrollTop = scroller.scrollHeight;
  find("latest").hidden = true;
}

/** Notes where the reader is, whenever he or the page moves. */
function noteScroll() {
  atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END;
  if (atEnd) find("latest").hidden = true;
}

/** After a change of the list. */
function changed() {
  find("welcome").hidden = list.size > 0 || preview !== undefined;
  if (atEnd) list.trim(SHOWN);
  else find("latest").hidden = false;
}

function showPreview(next) {
  const live = find("live");
  preview = next;
  if (next === undefined) return live.replaceChildren();
  showTyping(false);
  if (live.firstElementChild?.dataset.turn !== next.turn) {
    const body = document.createElement("div");
    body.className = "body";
    body.dataset.turn = next.turn;
    live.replaceChildren(body);
  }
  showRichText(live.firstElementChild, next.html);
}

function showTyping(on) {
  clearTimeout(typingTimer);
  find("typing").hidden = !on;
  if (on) typingTimer = setTimeout(showTyping, TYPING_FOR, false);
}

function showConnection(state, words) {
  const element = find("connection");
  element.dataset.state = state;
  if (element.textContent !== words) element.textContent = words;
}

function notice(words) {
  find("notice").textContent = words;
}

// --- what comes in ---------------------------------------------------------------------------------------------------------------

function showMessage(message) {
  if (message.direction === "in") {
    unsent.confirm(message.id);
    return list.show({ ...message, state: "sent" });
  }
  showTyping(false);
  if (message.turn !== undefined && preview?.turn === message.turn) showPreview(undefined);
  return list.show(message);
}

const arrivals = {
  snapshot({ messages, preview: growing }) {
    showPreview(growing ?? undefined);
    for (const message of messages) showMessage(message);
  },
  resume: () => showPreview(undefined),
  message: showMessage,
  echo: showMessage,
  typing: () => preview === undefined && showTyping(true),
  preview: (next) => showPreview(next.html === "" ? undefined : next),
};

const stream = createEventStream(`web/events?c=main&client=${client}`, {
  event({ name, id, data }) {
    if (!Object.hasOwn(arrivals, name)) return;
    arrivals[name](data);
    changed();
    if (name === "snapshot" || name === "resume") {
      reveal();
      void unsent.flush();
    }
    if (id !== undefined) acknowledge(Number(id.split(":")[1]));
    showConnection("open", "Connected");
  },
  state(state, why) {
    if (state === "denied") return showGate("");
    reveal();
    showConnection("lost", why ?? (navigator.onLine ? "Reconnecting…" : "You are offline"));
  },
});

/** Tells the gateway what this tab has shown; at most once in a while, and losing one loses nothing. */
function acknowledge(seq) {
  const first = acknowledged === undefined;
  acknowledged = seq;
  if (!first) return;
  setTimeout(() => {
    const body = JSON.stringify({ c: "main", client, seq: acknowledged });
    acknowledged = undefined;
    fetch("web/ack", { method: "POST", headers: { "content-type": "application/json" }, body, keepalive: true }).catch(() => {});
  }, 1000);
}

// --- what goes out ---------------------------------------------------------------------------------------------------------------

const unsent = createUnsent({
  storage: localStorage,
  prefix: `trunkline:unsent:${location.pathname}:`,
  async post(message) {
    const response = await fetch("web/messages", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ c: "main", ...message }),
    });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  },
  on: {
    denied: () => showGate(""),
    change(message) {
      const { clientId, text: said, at, state, why } = message;
      if (state === "dropped") list.remove("in", clientId);
      else list.show({ direction: "in", id: clientId, text: said, at, state, why });
      changed();
    },
  },
});

function submit() {
  const value = text.value;
  if (value.trim() === "") return;
  if (new TextEncoder().encode(value).byteLength > TEXT_LIMIT) return notice("This is too long: at most 256 kB fit into one message.");
  if (unsent.add(value, Date.now()) === undefined) return notice("Too many messages are waiting for the connection.");
  text.value = "";
  composed();
  scrollToEnd();
  void unsent.flush();
}

/** Fits the field to its text and remembers the draft. */
function composed() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight}px`;
  find("send").disabled = text.value.trim() === "";
  notice("");
  try {
    sessionStorage.setItem("trunkline:draft", text.value.slice(0, TEXT_LIMIT));
  } catch {
    // A draft is a convenience.
  }
}

// --- coming and going ------------------------------------------------------------------------------------------------------------

function showGate(problem) {
  stream.stop();
  find("chat").hidden = true;
  find("gate").hidden = false;
  find("problem").textContent = problem;
  showConnection("gate", "");
  find("token").focus();
}

function enter() {
  find("gate").hidden = true;
  showConnection("connecting", "Connecting…");
  stream.start();
  unsent.restore();
}

/** The chat appears once it is known whether the browser is signed in, so that no empty page flashes by. */
function reveal() {
  const chat = find("chat");
  if (!chat.hidden) return;
  chat.hidden = false;
  composed();
  scrollToEnd();
  // On a phone that would bring up the keyboard before anything was read.
  if (matchMedia("(hover: hover)").matches) text.focus();
}

async function begin() {
  try {
    text.value = sessionStorage.getItem("trunkline:draft") ?? "";
  } catch {
    // As above.
  }
  const token = takeTokenFromAddress();
  const problem = token === undefined ? undefined : await signIn(token);
  if (problem !== undefined) return showGate(problem);
  enter();
}

find("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
text.addEventListener("input", composed);
text.addEventListener("keydown", (event) => {
  // A key that ends the composition of a character (Japanese, Chinese, Korean) is not a key to send.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  submit();
});
find("signin").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = find("token");
  const problem = await signIn(tokenIn(field.value));
  if (problem !== undefined) return showGate(problem);
  field.value = "";
  enter();
});
find("latest").addEventListener("click", scrollToEnd);
scroller.addEventListener("scroll", noteScroll, { passive: true });
// The list grows, pictures arrive, the field gets taller, a keyboard comes up: all of it ends here, before it is painted.
const sizes = new ResizeObserver(() => atEnd && scrollToEnd());
sizes.observe(scroller);
sizes.observe(scroller.firstElementChild);
addEventListener("online", () => {
  stream.hurry();
  void unsent.flush();
});
addEventListener("offline", () => showConnection("lost", "You are offline"));
addEventListener("hashchange", () => location.hash.startsWith("#token=") && begin());
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.hidden) hiddenTimer = setTimeout(() => stream.stop(), HIDDEN_FOR);
  else if (!find("chat").hidden) stream.start();
});
watchCopyButtons(scroller);
void begin();
