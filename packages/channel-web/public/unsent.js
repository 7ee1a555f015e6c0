/**
 * Messages on their way to the gateway. Each has an id of its own making and keeps it for every try, so that the gateway takes it once
 * however often it is sent. They are kept in local storage, one entry each, until the gateway has them. Each belongs to the visitor who
 * wrote it: who signs in after somebody else does not send what that one left.
 */

/** Messages that may wait. */
const LIMIT = 50;
/**
 * Answers that a second try would not change: bad, forbidden, too large, not JSON. Every other failure passes, 404 among them: while the
 * account starts again there is nothing at its address.
 */
const REFUSALS = new Set([400, 403, 409, 413, 415]);
const FIRST_RETRY = 1000;
const LAST_RETRY = 15_000;

/** A random UUID; the browser's own is only there on https and loopback. */
export function newId(crypto = globalThis.crypto) {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Creates the queue. `post(message)` gives `{ status, body }` or rejects when the network failed. `on.change(message)` is called whenever
 * a message's `state` changes: "waiting", "sending", "sent" (with `at`, when the gateway told), "failed" (with `why`), "dropped".
 * `on.denied` when the gateway knows the browser no more.
 */
export function createUnsent({ storage, prefix, post, on, wait = setTimeout }) {
  const queue = [];
  let owner;
  let sending = false;
  let retry;
  let failures = 0;

  const keyOf = (clientId) => `${prefix}${owner}:${clientId}`;

  function change(message, state, more = {}) {
    Object.assign(message, { state, ...more });
    on.change(message);
  }

  function leave(message) {
    const index = queue.indexOf(message);
    if (index >= 0) queue.splice(index, 1);
    try {
      storage.removeItem(keyOf(message.clientId));
    } catch {
      // Storage that is switched off held nothing.
    }
  }

  function keep({ clientId, c, text, files, at }) {
    if (owner === undefined) return;
    try {
      storage.setItem(keyOf(clientId), JSON.stringify({ clientId, c, text, files, at }));
    } catch {
      // Full or switched off: the message lives as long as the tab.
    }
  }

  async function flush() {
    if (sending) return;
    sending = true;
    clearTimeout(retry);
    for (let next = waiting(); next !== undefined; next = waiting()) if (!(await send(next))) break;
    sending = false;
  }

  const waiting = () => queue.find((message) => message.state === "waiting");

  /** Sends one; false when there is no point in sending the next. */
  async function send(message) {
    change(message, "sending");
    const { clientId, text, c, files } = message;
    const answer = await post({ clientId, text, c, files: files.map(({ ticket }) => ticket) }).catch(() => undefined);
    if (!queue.includes(message)) return true;
    if (answer?.status === 202) {
      failures = 0;
      leave(message);
      change(message, "sent", answer.body?.at === undefined ? {} : { at: answer.body.at });
      return true;
    }
    if (REFUSALS.has(answer?.status)) {
      change(message, "failed", { why: answer.body?.error?.message ?? "The gateway refused it." });
      return true;
    }
    change(message, "waiting");
    if (answer?.status === 401) on.denied();
    else retry = wait(flush, Math.min(LAST_RETRY, FIRST_RETRY * 2 ** failures++));
    return false;
  }

  return {
    /** Whether it is known whose messages these are. */
    get isOwned() {
      return owner !== undefined;
    },
    /** Takes up what the visitor left at an earlier visit, oldest first. */
    restore(visitor) {
      owner = visitor;
      for (const message of queue) keep(message);
      for (const message of stored(storage, keyOf(""))) {
        if (queue.some((known) => known.clientId === message.clientId)) continue;
        queue.push(message);
        change(message, "waiting");
      }
    },
    /** Queues a text with its uploaded files for the conversation `c`; undefined when too many wait already. */
    add({ text, c, files = [] }, at) {
      if (queue.length >= LIMIT) return undefined;
      const message = { clientId: newId(), c, text, files, at, state: "waiting" };
      queue.push(message);
      keep(message);
      change(message, "waiting");
      return message;
    },
    /** Throws away everything of the visitor's, for a browser that others use too. */
    forget() {
      for (const message of queue.slice()) leave(message);
    },
    /** What waits in a conversation. */
    of: (c) => queue.filter((message) => message.c === c),
    flush,
    retry(clientId) {
      const message = queue.find((each) => each.clientId === clientId);
      if (message?.state !== "failed") return;
      change(message, "waiting", { why: undefined });
      void flush();
    },
    drop(clientId) {
      const message = queue.find((each) => each.clientId === clientId);
      if (message === undefined) return;
      leave(message);
      change(message, "dropped");
    },
    /** The gateway has it: seen in the stream, whatever became of the answer to the post. */
    confirm(clientId) {
      const message = queue.find((each) => each.clientId === clientId);
      if (message === undefined) return;
      leave(message);
      change(message, "sent");
    },
  };
}

function stored(storage, prefix) {
  const found = [];
  try {
    for (let index = 0; index < storage.length; index += 1) {
      const key = storage.key(index);
      if (!key?.startsWith(prefix)) continue;
      const { clientId, c = "main", text, files = [], at } = JSON.parse(storage.getItem(key));
      if (typeof clientId !== "string" || typeof text !== "string" || !Array.isArray(files)) continue;
      found.push({ clientId, c, text, files, at: Number(at) || 0, state: "waiting" });
    }
  } catch {
    // What cannot be read is not sent.
  }
  return found.sort((a, b) => a.at - b.at).slice(0, LIMIT);
}
