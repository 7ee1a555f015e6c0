import { createUploads } from "./uploads.js";

/** Where the person writes: the text with its draft, files, and the buttons that send and stop. */

/** What the gateway takes. Unit: bytes. */
const TEXT_LIMIT = 256 * 1024;
const DRAFT = "trunkline:draft:";
/** Newer browsers fit a field to its text by style alone; in others it is measured. */
const FITS_ITSELF = CSS.supports("field-sizing", "content");

/**
 * Creates the composer. `on.send({ text, files })` gives a sentence when it cannot be sent, `on.stop()` stops the running answer;
 * `on.say(words)` reads something to who does not see it.
 */
export function createComposer(on) {
  const find = (id) => document.getElementById(id);
  const text = find("text");
  let conversation = "main";
  let owner = "";
  let running = false;

  const notice = (words) => (find("notice").textContent = words);
  const uploads = createUploads(find("chips"), {
    change: () => changed(),
    notice: (words, how) => (how === "quietly" ? on.say(words) : notice(words)),
  });

  /** Fits the field to its text and the buttons to what can be done. */
  function changed() {
    if (!FITS_ITSELF) {
      text.style.height = "auto";
      text.style.height = `${text.scrollHeight}px`;
    }
    find("chips").hidden = uploads.size === 0;
    find("send").disabled = uploads.busy || (text.value.trim() === "" && uploads.size === 0);
    find("stop").hidden = !running;
  }

  const draftKey = () => `${DRAFT}${owner}:${conversation}`;

  function keepDraft() {
    try {
      if (text.value === "") sessionStorage.removeItem(draftKey());
      else sessionStorage.setItem(draftKey(), text.value.slice(0, TEXT_LIMIT));
    } catch {
      // A draft is a convenience.
    }
  }

  function draft() {
    try {
      return sessionStorage.getItem(draftKey()) ?? "";
    } catch {
      return "";
    }
  }

  function submit() {
    const value = text.value;
    if (value.trim() === "" && uploads.size === 0) return;
    if (uploads.failed) return notice("A file did not get through. Retry or remove it.");
    if (uploads.busy) return notice("A file is still on its way.");
    if (new TextEncoder().encode(value).byteLength > TEXT_LIMIT) return notice("This is too long: at most 256 kB fit into one message.");
    const files = uploads.take();
    const problem = on.send({ text: value, files });
    if (problem !== undefined) return notice(problem);
    text.value = "";
    notice("");
    keepDraft();
    changed();
  }

  find("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  text.addEventListener("input", () => {
    notice("");
    keepDraft();
    changed();
  });
  text.addEventListener("keydown", (event) => {
    // A key that ends the composition of a character (Japanese, Chinese, Korean) is not a key to send.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  text.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    uploads.add(files);
  });
  find("attach").addEventListener("click", () => find("picker").click());
  find("picker").addEventListener("change", () => {
    uploads.add([...find("picker").files]);
    find("picker").value = "";
    text.focus();
  });
  find("stop").addEventListener("click", () => {
    on.stop();
    text.focus();
  });
  watchDrops(find("app"), (files) => !find("chat").hidden && uploads.add(files));

  return {
    notice,
    focus: () => text.focus(),
    /** Shows the draft of a visitor's conversation. */
    open(c, visitor) {
      conversation = c;
      owner = visitor;
      text.value = draft();
      notice("");
      changed();
    },
    /** Whether an answer grows, so that there is something to stop. */
    setRunning(on) {
      running = on;
      const stop = find("stop");
      // Who was about to press a button that goes away is left where he can go on.
      if (!on && document.activeElement === stop) text.focus();
      changed();
    },
    fit: changed,
    /** Throws away all drafts of the tab. */
    forget() {
      try {
        for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT)) sessionStorage.removeItem(key);
      } catch {
        // What cannot be kept is not there.
      }
    },
  };
}

/** Files that are dropped anywhere on the page. While they hover, the page says so. */
function watchDrops(root, take) {
  let depth = 0;
  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (on) => root.classList.toggle("dropping", on);
  addEventListener("dragenter", (event) => carriesFiles(event) && show(++depth > 0));
  addEventListener("dragleave", (event) => carriesFiles(event) && show(--depth > 0));
  addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    show(false);
    take([...event.dataTransfer.files]);
  });
}
