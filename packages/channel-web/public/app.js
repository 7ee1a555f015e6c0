import { get, post, whyNot } from "./api.js";
import { createComposer } from "./composer.js";
import { createConversationPanel } from "./conversation-panel.js";
import { createConversationView } from "./conversation-view.js";
import { ask } from "./dialog.js";
import { watchCopyButtons } from "./rich-text.js";
import { currentSession, signIn, signOut, takeTokenFromAddress, tokenIn } from "./sign-in.js";
import { watchTheme } from "./theme.js";
import { createUnsent, newId } from "./unsent.js";

/** A tab that nobody looks at gives its connection back after a while: browsers allow six per host. Unit: ms. */
const HIDDEN_FOR = 60_000;
/** A message that nobody answers for so long is sent again: a connection may be dead without saying so. Unit: ms. */
const SEND_FOR = 20_000;
/** Of an answer, so much is read out; the rest is there to be read. Unit: characters. */
const READ_OUT = 600;

const find = (id) => document.getElementById(id);
let hiddenTimer;
/** Who the browser is, `{ role, visitor }`, once that is known. */
let session;

function showConnection(state, words) {
  const element = find("connection");
  element.dataset.state = state;
  if (find("connection-words").textContent !== words) find("connection-words").textContent = words;
}

/** Reads a sentence to who does not see the page. Only what is whole: an answer that grows would be read again and again. */
function say(words) {
  find("announce").textContent = words.length > READ_OUT ? `${words.slice(0, READ_OUT)}…` : words;
}

// --- the parts -------------------------------------------------------------------------------------------------------------------

const unsent = createUnsent({
  storage: localStorage,
  prefix: `trunkline:unsent:${location.pathname}:`,
  post: (message) => post("web/messages", message, { signal: AbortSignal.timeout(SEND_FOR) }),
  on: {
    denied: () => showGate(""),
    change(message) {
      if (message.c !== view.current) return;
      if (message.state === "dropped") view.remove(message.clientId);
      else view.show(pendingMessage(message));
    },
  },
});

function pendingMessage({ clientId, text, at, state, why, files }) {
  const media = files.map(({ ticket, ...file }) => ({ ...file, url: `web/uploads/${ticket}` }));
  return { direction: "in", id: clientId, text, at, state, why, ...(media.length === 0 ? {} : { media }) };
}

const composer = createComposer({
  send({ text, files }) {
    if (unsent.add({ text, files, c: view.current }, Date.now()) === undefined) return "Too many messages are waiting for the connection.";
    view.toEnd();
    void unsent.flush();
    return undefined;
  },
  async stop() {
    // Past the line of what waits to be sent: it is meant now or never.
    const answer = await post("web/messages", { c: view.current, clientId: newId(), text: "/stop" });
    if (!answer.ok) composer.notice(whyNot(answer));
  },
  say,
});

const view = createConversationView({
  ready() {
    reveal();
    void refreshList();
    void recall().then(unsent.flush);
  },
  denied: () => showGate(""),
  connection: showConnection,
  running: (on) => composer.setRunning(on),
  conversations: showList,
  activity: (c) => panel.markUnread(c),
  confirm: (id) => unsent.confirm(id),
  said: (words) => say(`Agent: ${words}`),
  notice: (words) => composer.notice(words),
  retry: (id) => unsent.retry(id),
  drop: (id) => unsent.drop(id),
});

const panel = createConversationPanel({
  open,
  begin: () => open(view.isEmpty ? view.current : newName()),
  rename: (id, title) => changeList("rename", { id, title }),
  remove: (id) => changeList("delete", { id }),
});

// --- conversations ---------------------------------------------------------------------------------------------------------------

function conversationInAddress() {
  return /^#c=([0-9a-f]{16})$/.exec(location.hash)?.[1] ?? "main";
}

/** Opens a conversation; `how` says whether the address changes with it. */
function open(c, how = "push") {
  if (how === "push" && conversationInAddress() !== c) history.pushState(null, "", c === "main" ? location.pathname : `#c=${c}`);
  view.open(c, unsent.of(c).map(pendingMessage));
  composer.open(c, session?.visitor ?? "");
  showTitle();
  void refreshList();
  if (matchMedia("(hover: hover)").matches) composer.focus();
}

function showList(list) {
  panel.show(list, view.current);
  showTitle();
}

function showTitle() {
  const title = panel.titleOf(view.current);
  find("title").textContent = title;
  document.title = `${title} · Trunkline`;
}

async function refreshList() {
  const answer = await get("web/conversations");
  if (answer.ok) showList(answer.body.list);
}

async function changeList(what, body) {
  const answer = await post(`web/conversations/${what}`, body);
  if (!answer.ok) {
    composer.notice(whyNot(answer));
    return false;
  }
  showList(answer.body.list);
  // The one that was open is gone: the next takes its place.
  if (what === "delete" && body.id === view.current) open(panel.first ?? newName());
  return true;
}

/** Name of a conversation that does not exist yet. */
function newName() {
  return newId().replaceAll("-", "").slice(0, 16);
}

// --- coming and going ------------------------------------------------------------------------------------------------------------

function showGate(problem) {
  // Nothing of who was here stays in the page, behind the gate or after the next one signs in.
  if (!find("chat").hidden) return location.reload();
  view.stop();
  panel.close();
  find("title").textContent = "Trunkline";
  document.title = "Trunkline";
  find("app").classList.add("signed-out");
  find("gate").hidden = false;
  find("problem").textContent = problem;
  showConnection("gate", "");
  find("token").focus();
}

async function enter() {
  find("gate").hidden = true;
  find("app").classList.remove("signed-out");
  showConnection("connecting", "Connecting…");
  await recall();
  open(conversationInAddress(), "keep");
}

/** Finds out who the browser is, once, and takes up what that one left. */
async function recall() {
  if (unsent.isOwned) return;
  session = await currentSession();
  if (session === undefined || unsent.isOwned) return;
  unsent.restore(session.visitor);
  find("sign-out-all").hidden = session.role !== "admin";
}

/** The chat appears once it is known whether the browser is signed in, so that no empty page flashes by. */
function reveal() {
  const chat = find("chat");
  if (!chat.hidden) return;
  chat.hidden = false;
  composer.fit();
  view.toEnd();
  // On a phone that would bring up the keyboard before anything was read.
  if (matchMedia("(hover: hover)").matches) composer.focus();
}

async function begin() {
  const token = takeTokenFromAddress();
  const problem = token === undefined ? undefined : await signIn(token);
  if (problem !== undefined) return showGate(problem);
  await enter();
}

async function leave() {
  const yes = await ask(find("dialog"), {
    title: "Sign out?",
    text: "Whoever signs in on this browser again by the same link finds your conversations, unless they are to be forgotten here.",
    confirm: "Sign out",
    // The owner's link is one person's; the chat link may be several persons', and who signs out has a reason.
    choices: [{ value: "forget", label: "Forget my conversations on this browser: others use it too", checked: session?.role !== "admin" }],
  });
  if (yes === undefined) return;
  const forget = yes.includes("forget");
  if (!(await signOut({ forget }))) return composer.notice("The gateway cannot be reached.");
  if (forget) {
    unsent.forget();
    composer.forget();
  }
  showGate("");
}

async function leaveEverywhere() {
  const roles = await ask(find("dialog"), {
    title: "Sign out everywhere else?",
    text: "New tokens are made; the old links and the browsers that used them stop working at once. This browser stays. `trunkline web link` prints the new ones.",
    confirm: "Sign out others",
    choices: [
      { value: "admin", label: "Your other browsers (owner's link)", checked: true },
      { value: "chat", label: "Everybody with the chat link", checked: false },
    ],
  });
  if (roles === undefined || roles.length === 0) return;
  const answer = await post("/auth/rotate", { roles });
  composer.notice(answer.ok ? "" : whyNot(answer));
  if (answer.ok) say("All others are signed out.");
}

find("signin").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = find("token");
  const problem = await signIn(tokenIn(field.value));
  if (problem !== undefined) return showGate(problem);
  field.value = "";
  await enter();
});
find("sign-out").addEventListener("click", () => void leave());
find("sign-out-all").addEventListener("click", () => void leaveEverywhere());
addEventListener("online", () => {
  view.hurry();
  void unsent.flush();
});
addEventListener("offline", () => showConnection("lost", "You are offline"));
addEventListener("popstate", () => {
  if (location.hash.startsWith("#token=")) void begin();
  else if (!find("chat").hidden && conversationInAddress() !== view.current) open(conversationInAddress(), "keep");
});
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.hidden) hiddenTimer = setTimeout(() => view.stop(), HIDDEN_FOR);
  else if (!find("chat").hidden) view.start();
});
watchTheme(find("theme"));
watchCopyButtons(find("scroller"));
void begin();
