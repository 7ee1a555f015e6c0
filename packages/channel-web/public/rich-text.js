import { copyText } from "./clipboard.js";
import { sanitize } from "./sanitize.js";

/**
 * Shows an HTML text in an element. Blocks that did not change stay the same nodes, so that a growing answer neither flickers nor
 * loses what the reader has selected.
 */
export function showRichText(element, html) {
  const fragment = sanitize(html);
  dress(fragment);
  const wanted = [...fragment.childNodes];
  const present = [...element.childNodes];
  for (const [index, node] of wanted.entries()) {
    const old = present[index];
    if (old === undefined) element.append(node);
    else if (!old.isEqualNode(node)) old.replaceWith(node);
  }
  for (const old of present.slice(wanted.length)) old.remove();
}

/** Adds what a page needs and a text does not have: scrolling tables and copy buttons. */
function dress(fragment) {
  for (const table of fragment.querySelectorAll("table")) table.replaceWith(scrolling(table));
  for (const code of fragment.querySelectorAll("pre")) code.replaceWith(codeBlock(code));
}

function scrolling(table) {
  const box = document.createElement("div");
  box.className = "table-box";
  box.tabIndex = 0;
  box.role = "region";
  box.ariaLabel = "Table";
  box.append(table.cloneNode(true));
  return box;
}

function codeBlock(pre) {
  const box = document.createElement("div");
  box.className = "code-box";
  const head = document.createElement("div");
  head.className = "code-head";
  const language = document.createElement("span");
  language.textContent = languageOf(pre) ?? "Code";
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.textContent = "Copy";
  head.append(language, copy);
  const code = pre.cloneNode(true);
  code.tabIndex = 0;
  box.append(head, code);
  return box;
}

function languageOf(pre) {
  return /(?:^|\s)language-([\w+#.-]{1,30})/.exec(`${pre.className} ${pre.firstElementChild?.className ?? ""}`)?.[1];
}

/** Makes the copy buttons inside an element work: one listener for all that come and go. */
export function watchCopyButtons(root) {
  root.addEventListener("click", async (event) => {
    const button = event.target instanceof Element ? event.target.closest("button.copy") : null;
    if (button === null) return;
    const text = button.closest(".code-box")?.querySelector("pre")?.textContent ?? "";
    button.textContent = (await copyText(text)) ? "Copied" : "Copying failed";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}
