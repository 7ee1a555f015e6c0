import { ask } from "./dialog.js";
import { iconButton } from "./icons.js";

/** The list of conversations at the side. On a narrow screen it is a drawer over the chat. */

export const UNTITLED = "New conversation";

/**
 * Creates the panel. `on.open(id)`, `on.begin()` for a new one, `on.rename(id, title)` and `on.remove(id)`, which resolve with whether
 * it worked.
 */
export function createConversationPanel(on) {
  const find = (id) => document.getElementById(id);
  const root = find("conversations");
  const narrow = matchMedia("(max-width: 56rem)");
  let list = [];
  let current;
  let renaming;
  const unread = new Set();

  function paint() {
    const focused = document.activeElement?.closest?.("#conversations li")?.dataset.id;
    root.replaceChildren(...list.map(row));
    if (focused !== undefined && renaming === undefined) buttonOf(focused)?.focus({ preventScroll: true });
  }

  const buttonOf = (id) => root.querySelector(`li[data-id="${CSS.escape(id)}"] .open`);

  function row({ id, title }) {
    const element = document.createElement("li");
    element.dataset.id = id;
    if (renaming === id) {
      element.append(renameField(id, title));
      return element;
    }
    const open = document.createElement("button");
    open.type = "button";
    open.className = "open";
    open.dir = "auto";
    open.textContent = title || UNTITLED;
    open.title = title || UNTITLED;
    // One stop for Tab; the arrow keys go through the list.
    open.tabIndex = id === (list.some((each) => each.id === current) ? current : list[0].id) ? 0 : -1;
    if (id === current) open.setAttribute("aria-current", "true");
    if (unread.has(id)) open.append(unreadMark());
    open.addEventListener("click", () => {
      on.open(id);
      close();
    });
    const name = title || UNTITLED;
    const rename = iconButton("edit", `Rename “${name}”`, () => startRename(id));
    const remove = iconButton("trash", `Delete “${name}”`, () => void askRemove(id));
    for (const button of [rename, remove]) button.tabIndex = open.tabIndex;
    element.append(open, rename, remove);
    return element;
  }

  function unreadMark() {
    const mark = document.createElement("span");
    mark.className = "unread";
    const words = document.createElement("span");
    words.className = "quiet";
    words.textContent = ", new messages";
    mark.append(words);
    return mark;
  }

  function renameField(id, title) {
    const field = document.createElement("input");
    field.className = "rename";
    field.value = title;
    field.maxLength = 80;
    field.dir = "auto";
    field.ariaLabel = "New name";
    let done = false;
    const finish = async (save) => {
      if (done) return;
      done = true;
      renaming = undefined;
      if (save && field.value.trim() !== title) await on.rename(id, field.value);
      paint();
      buttonOf(id)?.focus({ preventScroll: true });
    };
    field.addEventListener("keydown", (event) => {
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      event.stopPropagation();
      void finish(event.key === "Enter");
    });
    field.addEventListener("blur", () => void finish(true));
    return field;
  }

  function startRename(id) {
    renaming = id;
    paint();
    const field = root.querySelector(".rename");
    field.focus();
    field.select();
  }

  async function askRemove(id) {
    const title = list.find((each) => each.id === id)?.title || UNTITLED;
    const yes = await ask(find("dialog"), {
      title: "Delete this conversation?",
      text: `“${title}” leaves the list in all your tabs. The gateway's own records of it are kept.`,
      confirm: "Delete",
    });
    if (yes === undefined) return buttonOf(id)?.focus();
    const index = list.findIndex((each) => each.id === id);
    if (!(await on.remove(id))) return;
    (buttonOf((list[index] ?? list.at(-1))?.id ?? "") ?? find("new")).focus();
  }

  root.addEventListener("keydown", (event) => {
    const here = event.target.closest("li");
    if (here === null || event.target.localName === "input") return;
    const rows = [...root.children];
    const at = rows.indexOf(here);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const open = rows[Math.max(0, Math.min(rows.length - 1, to))].querySelector(".open");
      for (const button of root.querySelectorAll("button")) button.tabIndex = -1;
      for (const button of open.closest("li").querySelectorAll("button")) button.tabIndex = 0;
      open.focus();
    } else if (event.key === "F2") startRename(here.dataset.id);
    else if (event.key === "Delete") void askRemove(here.dataset.id);
  });

  // --- the drawer ------------------------------------------------------------------------------------------------------------------

  const isOpen = () => find("app").classList.contains("drawer-open");

  function settle() {
    const open = isOpen() && narrow.matches;
    find("panel").inert = narrow.matches && !open;
    find("stage").inert = open;
    find("menu").setAttribute("aria-expanded", String(open));
  }

  function open() {
    find("app").classList.add("drawer-open");
    settle();
    (buttonOf(current ?? "") ?? find("new")).focus({ preventScroll: true });
  }

  function close() {
    if (!isOpen()) return;
    find("app").classList.remove("drawer-open");
    settle();
    if (narrow.matches) find("menu").focus({ preventScroll: true });
  }

  find("menu").addEventListener("click", open);
  find("close-panel").addEventListener("click", close);
  find("scrim").addEventListener("click", close);
  find("new").addEventListener("click", () => {
    close();
    on.begin();
  });
  addEventListener("keydown", (event) => event.key === "Escape" && !find("dialog").open && close());
  narrow.addEventListener("change", () => {
    find("app").classList.remove("drawer-open");
    settle();
  });
  settle();

  return {
    close,
    /** Shows the list; `now` is the open conversation. */
    show(next, now) {
      list = next;
      current = now;
      unread.delete(now);
      // A list that comes while a name is being typed must not take the field away.
      if (renaming === undefined || !list.some(({ id }) => id === renaming)) {
        renaming = undefined;
        paint();
      }
    },
    /** Something was said in a conversation that is not open. */
    markUnread(id) {
      if (id === current) return;
      unread.add(id);
      if (renaming === undefined) paint();
    },
    titleOf: (id) => list.find((each) => each.id === id)?.title || UNTITLED,
    has: (id) => list.some((each) => each.id === id),
    get first() {
      return list[0]?.id;
    },
  };
}
