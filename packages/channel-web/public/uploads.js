import { whyNot } from "./api.js";
import { icon, iconButton } from "./icons.js";
import { isPicture, sizeText } from "./media-view.js";

/**
 * Files on their way into a message: each is uploaded at once, shown with its progress, and waits as a ticket until the message is sent.
 */

/** What the gateway takes. Unit: bytes. */
const SIZE_LIMIT = 20 * 1024 * 1024;
const FILES = 10;
const AT_ONCE = 2;

/** Creates the row of files in an element. `on.change()` after every change, `on.notice(words)` for what the person should know. */
export function createUploads(root, on) {
  let items = [];

  function add(files) {
    for (const file of files) {
      if (items.length >= FILES) {
        on.notice(`At most ${FILES} files fit into one message.`);
        break;
      }
      const item = { file, name: file.name || "pasted file", size: file.size, state: "waiting", progress: 0 };
      items.push(item);
      item.element = createElement(item);
      root.append(item.element);
      if (file.size === 0) fail(item, "The file is empty.");
      else if (file.size > SIZE_LIMIT) fail(item, "Too large: at most 20 MB.");
      else paint(item);
    }
    next();
  }

  function next() {
    const busy = items.filter(({ state }) => state === "uploading").length;
    for (const item of items.filter(({ state }) => state === "waiting").slice(0, Math.max(0, AT_ONCE - busy))) upload(item);
    on.change();
  }

  function upload(item) {
    item.state = "uploading";
    item.progress = 0;
    // Other than fetch it tells how much has gone out.
    const request = new XMLHttpRequest();
    item.request = request;
    request.open(
      "POST",
      `web/uploads?name=${encodeURIComponent(item.name.toWellFormed?.() ?? item.name)}&type=${encodeURIComponent(item.file.type)}`,
    );
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      item.progress = total === 0 ? 0 : loaded / total;
      paint(item);
    });
    request.addEventListener("load", () => {
      if (request.status === 201) finish(item, request.response);
      else fail(item, whyNot({ status: request.status, body: request.response }));
      next();
    });
    request.addEventListener("error", () => {
      fail(item, "The gateway cannot be reached.", true);
      next();
    });
    request.send(item.file);
    paint(item);
  }

  function finish(item, { ticket, name, kind, mimeType, size }) {
    Object.assign(item, { state: "done", progress: 1, ready: { ticket, name, kind, mimeType, size } });
    paint(item);
    on.notice(`${name} is attached.`, "quietly");
  }

  function fail(item, why, again = item.file.size > 0 && item.file.size <= SIZE_LIMIT) {
    Object.assign(item, { state: "failed", why, again });
    paint(item);
    on.notice(`${item.name}: ${why}`);
  }

  function remove(item) {
    item.request?.abort();
    items = items.filter((each) => each !== item);
    item.element.remove();
    next();
  }

  function paint(item) {
    const { element, state } = item;
    element.dataset.state = state;
    const find = (name) => element.querySelector(`.${name}`);
    find("chip-state").textContent = stateText(item);
    const bar = find("chip-bar");
    bar.hidden = state !== "uploading" && state !== "waiting";
    bar.value = item.progress;
    find("chip-again").hidden = state !== "failed" || !item.again;
    const thumb = find("chip-thumb");
    if (state === "done" && isPicture(item.ready) && thumb.localName !== "img") thumb.replaceWith(thumbnail(item.ready));
  }

  function createElement(item) {
    const element = document.createElement("li");
    element.className = "chip";
    const thumb = document.createElement("span");
    thumb.className = "chip-thumb";
    thumb.append(icon("file", 18));
    const words = document.createElement("span");
    words.className = "chip-words";
    const name = document.createElement("span");
    name.className = "chip-name";
    name.dir = "auto";
    name.textContent = item.name;
    const state = document.createElement("span");
    state.className = "chip-state";
    const bar = document.createElement("progress");
    bar.className = "chip-bar";
    bar.max = 1;
    bar.setAttribute("aria-label", `Upload of ${item.name}`);
    words.append(name, state, bar);
    const again = document.createElement("button");
    again.type = "button";
    again.className = "chip-again";
    again.textContent = "Retry";
    again.addEventListener("click", () => {
      item.state = "waiting";
      next();
    });
    element.append(
      thumb,
      words,
      again,
      iconButton("close", `Remove ${item.name}`, () => remove(item)),
    );
    return element;
  }

  return {
    add,
    get size() {
      return items.length;
    },
    /** Whether a file is still on its way or did not get there. */
    get busy() {
      return items.some(({ state }) => state !== "done");
    },
    get failed() {
      return items.some(({ state }) => state === "failed");
    },
    /** The files, to be sent with a message; the row is empty then. */
    take() {
      const files = items.map(({ ready }) => ready);
      items = [];
      root.replaceChildren();
      on.change();
      return files;
    },
  };
}

function stateText({ state, why, progress, size }) {
  if (state === "failed") return why;
  if (state === "uploading") return `${Math.round(progress * 100)} % of ${sizeText(size)}`;
  return state === "waiting" ? "Waiting" : sizeText(size);
}

function thumbnail({ ticket, name }) {
  const image = document.createElement("img");
  image.className = "chip-thumb";
  image.src = `web/uploads/${ticket}`;
  image.alt = `Preview of ${name}`;
  return image;
}
