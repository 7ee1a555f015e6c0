import { showRichText } from "./rich-text.js";

/**
 * The list of messages, in order of time, each once. Messages that are still on their way to the gateway stay at the end.
 */

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const STATES = { waiting: "Waiting for the connection", sending: "Sending…", failed: "Not sent" };

/** Creates the list in an element. `on.retry(id)` and `on.drop(id)` are the buttons of a message that failed. */
export function createMessageList(root, on) {
  const items = new Map();
  const itemOf = new WeakMap();
  let rank = 0;

  /** Most messages belong at the end, so the place is looked for from there. */
  function place(item) {
    let next = null;
    for (let element = root.lastElementChild; element !== null; element = element.previousElementSibling) {
      if (element === item.element) continue;
      if (order(itemOf.get(element), item) <= 0) break;
      next = element;
    }
    if (!item.element.isConnected || item.element.nextElementSibling !== next) root.insertBefore(item.element, next);
  }

  return {
    get size() {
      return items.size;
    },
    /** Shows a message; one that is shown already changes in its place. */
    show(message) {
      const key = `${message.direction}:${message.id}`;
      let item = items.get(key);
      if (item === undefined) {
        item = { element: createElement(message), rank: rank++ };
        items.set(key, item);
        itemOf.set(item.element, item);
      }
      item.message = { ...item.message, ...message };
      paint(item.element, item.message, on);
      place(item);
      markDays(item.element);
    },
    remove(direction, id) {
      items.get(`${direction}:${id}`)?.element.remove();
      items.delete(`${direction}:${id}`);
    },
    /** Lets the oldest messages go, so that a tab that is open for weeks stays light. */
    trim(limit) {
      while (items.size > limit) {
        const { message } = itemOf.get(root.firstElementChild);
        this.remove(message.direction, message.id);
      }
    },
  };
}

const pending = (item) => item.message.state !== undefined && item.message.state !== "sent";

function order(a, b) {
  return Number(pending(a)) - Number(pending(b)) || a.message.at - b.message.at || a.rank - b.rank;
}

function createElement(message) {
  const element = document.createElement("article");
  element.className = `message ${message.direction}`;
  const author = document.createElement("h2");
  author.className = "quiet";
  author.textContent = message.direction === "in" ? "You" : "Agent";
  const body = document.createElement("div");
  body.className = "body";
  const foot = document.createElement("p");
  foot.className = "foot";
  element.append(author, body, foot);
  return element;
}

function paint(element, message, on) {
  element.dataset.id = message.id;
  element.dataset.day = String(new Date(message.at).toDateString());
  if (message.state === undefined) delete element.dataset.state;
  else element.dataset.state = message.state;
  const body = element.querySelector(":scope > .body");
  if (message.direction === "in") {
    body.dir = "auto";
    body.textContent = message.text;
  } else {
    showRichText(body, message.html);
    for (const medium of message.media ?? []) body.append(mediaElement(medium));
  }
  element.querySelector(":scope > .foot").replaceChildren(...footer(message, on));
}

function footer(message, on) {
  const stamp = document.createElement("time");
  stamp.dateTime = new Date(message.at).toISOString();
  stamp.textContent = time.format(message.at);
  stamp.title = new Date(message.at).toLocaleString();
  const label = STATES[message.state];
  if (label === undefined) return [stamp];
  const status = document.createElement("span");
  status.textContent = message.why === undefined ? label : `${label}: ${message.why}`;
  if (message.state !== "failed") return [status];
  return [status, button("Try again", () => on.retry(message.id)), button("Delete", () => on.drop(message.id))];
}

function button(label, action) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = label;
  element.addEventListener("click", action);
  return element;
}

function mediaElement({ url, kind, name }) {
  const link = document.createElement("a");
  link.href = url;
  link.className = kind === "image" || kind === "sticker" ? "picture" : "file";
  if (link.className === "file") {
    link.download = name;
    link.textContent = name;
    return link;
  }
  link.target = "_blank";
  const image = document.createElement("img");
  image.src = url;
  image.alt = name;
  image.loading = "lazy";
  link.append(image);
  return link;
}

/** A line with the date before the first message of a day; only the neighbours of a changed message can change. */
function markDays(element) {
  for (const each of [element, element.nextElementSibling]) {
    if (each === null) continue;
    const first = each.previousElementSibling?.dataset.day !== each.dataset.day;
    const label = each.querySelector(":scope > .day");
    if (!first) label?.remove();
    else if (label === null) each.prepend(dayLabel(each));
  }
}

function dayLabel(element) {
  const label = document.createElement("p");
  label.className = "day";
  label.textContent = day.format(new Date(element.dataset.day));
  return label;
}
