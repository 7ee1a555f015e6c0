import { createMessageElement, paintMessage } from "./message-view.js";

/**
 * The list of messages, in order of time, each once. Messages that are still on their way to the gateway stay at the end.
 */

const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });

/** Creates the list in an element. `on` has what the buttons of a message do; see `message-view.js`. */
export function createMessageList(root, on) {
  const items = new Map();
  const itemOf = new WeakMap();
  let rank = 0;

  /** Messages come at the end, or, when older ones are read, at the beginning; between them only rarely. */
  function place(item) {
    const first = root.firstElementChild;
    if (first !== null && first !== item.element && order(item, itemOf.get(first)) < 0) return void root.prepend(item.element);
    let next = null;
    for (let element = root.lastElementChild; element !== null; element = element.previousElementSibling) {
      if (element === item.element) continue;
      if (order(itemOf.get(element), item) <= 0) break;
      next = element;
    }
    if (!item.element.isConnected || item.element.nextElementSibling !== next) root.insertBefore(item.element, next);
  }

  function remove(item) {
    const next = item.element.nextElementSibling;
    item.element.remove();
    items.delete(keyOf(item.message));
    if (next !== null) markDays(next);
  }

  return {
    get size() {
      return items.size;
    },
    /** The oldest message that the gateway has; undefined when there is none. */
    get oldest() {
      const first = root.firstElementChild;
      const item = first === null ? undefined : itemOf.get(first);
      return item === undefined || pending(item) ? undefined : item.message;
    },
    /** Shows a message; one that is shown already changes in its place. */
    show(message) {
      const key = keyOf(message);
      let item = items.get(key);
      if (item === undefined) {
        item = { element: createMessageElement(message), rank: rank++ };
        items.set(key, item);
        itemOf.set(item.element, item);
      }
      item.message = { ...item.message, ...message };
      paintMessage(item.element, item.message, on);
      place(item);
      markDays(item.element);
    },
    /** Changes something about a message, if it is shown. */
    change(direction, id, more) {
      const item = items.get(keyOf({ direction, id }));
      if (item === undefined) return;
      item.message = { ...item.message, ...more };
      paintMessage(item.element, item.message, on);
    },
    remove(direction, id) {
      const item = items.get(keyOf({ direction, id }));
      if (item !== undefined) remove(item);
    },
    clear() {
      items.clear();
      root.replaceChildren();
    },
    /** Lets the oldest messages go, so that a tab that is open for weeks stays light; whether any went. */
    trim(limit) {
      const much = items.size > limit;
      while (items.size > limit) remove(itemOf.get(root.firstElementChild));
      return much;
    },
  };
}

const keyOf = ({ direction, id }) => `${direction}:${id}`;
const pending = (item) => item.message.state !== undefined && item.message.state !== "sent";

function order(a, b) {
  return Number(pending(a)) - Number(pending(b)) || a.message.at - b.message.at || a.rank - b.rank;
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
