import { copyText } from "./clipboard.js";
import { hasIcon, icon, iconButton } from "./icons.js";
import { mediaElement } from "./media-view.js";
import { showRichText } from "./rich-text.js";

/**
 * How one message looks. `on` has `retry(id)` and `drop(id)` for one that failed, `press(message, button)` and `react(message, emoji)`.
 */

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const STATES = { waiting: "Waiting for the connection", sending: "Sending…", failed: "Not sent" };
const FIRST_REACTIONS = [
  ["👍", "Thumbs up"],
  ["👎", "Thumbs down"],
];
const MORE_REACTIONS = [
  ["❤️", "Heart"],
  ["😄", "Smile"],
  ["🎉", "Party"],
  ["🤔", "Thinking"],
];

export function createMessageElement(message) {
  const element = document.createElement("article");
  element.className = `message ${message.direction}`;
  const author = document.createElement("h2");
  author.className = "quiet";
  author.textContent = message.direction === "in" ? "You" : "Agent";
  element.append(author, part("body"), part("files"), part("buttons"), part("foot"));
  return element;
}

/** Brings the element to what the message says. What did not change is not touched: pictures do not flicker, focus stays. */
export function paintMessage(element, message, on) {
  element.dataset.id = message.id;
  element.dataset.day = String(new Date(message.at).toDateString());
  if (message.state === undefined) delete element.dataset.state;
  else element.dataset.state = message.state;
  const find = (name) => element.querySelector(`:scope > .${name}`);
  paintBody(element, find("body"), message);
  once(find("files"), message.media, () => (message.media ?? []).map(mediaElement));
  once(find("buttons"), [message.buttons, message.pressed], () => (message.buttons ?? []).map((row) => buttonRow(row, message, on)));
  once(find("foot"), [message.at, message.state, message.why, message.reaction], () => footer(element, message, on));
}

function part(name) {
  const element = document.createElement("div");
  element.className = name;
  return element;
}

/** Fills a part when what it shows has changed. */
function once(element, shown, make) {
  const key = JSON.stringify(shown ?? null);
  if (element.dataset.shown === key) return;
  element.dataset.shown = key;
  const focused = element.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  element.replaceChildren(...make());
  if (focused !== null) element.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function paintBody(element, body, message) {
  if (message.direction === "out") return void (message.html && showRichText(body, message.html));
  const stop = message.text === "/stop";
  element.classList.toggle("note", stop);
  // The agent says that it stopped, behind what was visible of the answer; saying so before that as well would only be confusing.
  element.classList.toggle("told", stop && STATES[message.state] === undefined);
  body.dir = "auto";
  body.textContent = stop ? "Stopping the answer" : message.text;
}

function buttonRow(row, message, on) {
  const element = document.createElement("div");
  element.className = "button-row";
  element.role = "group";
  element.ariaLabel = "Choices";
  element.append(...row.map((button) => (button.url === undefined ? pressable(button, message, on) : linkButton(button))));
  return element;
}

function pressable(button, message, on) {
  const element = textButton(button.text, () => message.pressed === undefined && on.press(message, button));
  element.className = "choice-button";
  element.dir = "auto";
  element.setAttribute("aria-label", button.text);
  if (message.pressed === undefined) return element;
  // Still there for a screen reader to be found, and no longer a thing to press.
  element.setAttribute("aria-disabled", "true");
  if (message.pressed !== button.n) return element;
  element.setAttribute("aria-label", `${button.text}, chosen`);
  element.classList.add("chosen");
  element.prepend(icon("done", 14));
  return element;
}

function linkButton({ text, url }) {
  const element = document.createElement("a");
  element.className = "choice-button";
  element.href = url;
  element.target = "_blank";
  element.rel = "noopener noreferrer nofollow";
  element.textContent = text;
  return element;
}

function footer(element, message, on) {
  const stamp = document.createElement("time");
  stamp.dateTime = new Date(message.at).toISOString();
  stamp.textContent = time.format(message.at);
  stamp.title = new Date(message.at).toLocaleString();
  const label = STATES[message.state];
  if (label === undefined) return [stamp, actions(element, message, on)];
  const status = document.createElement("span");
  status.textContent = message.why === undefined ? label : `${label}: ${message.why}`;
  if (message.state !== "failed") return [status];
  return [status, textButton("Try again", () => on.retry(message.id)), textButton("Delete", () => on.drop(message.id))];
}

function actions(element, message, on) {
  const group = part("actions");
  const words = message.direction === "in" ? message.text : message.plain;
  if (words) group.append(copyButton(words));
  if (message.direction === "in") return group;
  const more = part("more-reactions");
  const reaction = ([emoji, name]) => reactionButton(emoji, name, message, on);
  more.append(...MORE_REACTIONS.map(reaction));
  more.hidden = !MORE_REACTIONS.some(([emoji]) => emoji === message.reaction);
  const toggle = iconButton("smile", "More reactions", () => {
    more.hidden = !more.hidden;
    toggle.setAttribute("aria-expanded", String(!more.hidden));
    if (!more.hidden) more.firstElementChild.focus();
  });
  toggle.setAttribute("aria-expanded", String(!more.hidden));
  group.append(...FIRST_REACTIONS.map(reaction), toggle, more);
  element.classList.toggle("reacted", Boolean(message.reaction));
  return group;
}

function reactionButton(emoji, name, message, on) {
  const mine = message.reaction === emoji;
  const button = textButton(emoji, () => on.react(message, mine ? "" : emoji));
  button.className = "reaction";
  // The two that are always there look like the other buttons, and need no font.
  if (hasIcon(emoji)) button.replaceChildren(icon(emoji));
  button.setAttribute("aria-label", name);
  button.setAttribute("aria-pressed", String(mine));
  button.title = name;
  return button;
}

function copyButton(words) {
  const button = iconButton("copy", "Copy message", async () => {
    const copied = await copyText(words);
    button.replaceChildren(icon(copied ? "done" : "close"));
    button.setAttribute("aria-label", copied ? "Copied" : "Copying failed");
    setTimeout(() => {
      button.replaceChildren(icon("copy"));
      button.setAttribute("aria-label", "Copy message");
    }, 2000);
  });
  return button;
}

function textButton(label, action) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = label;
  element.addEventListener("click", action);
  return element;
}
