/**
 * The event stream of the gateway, over fetch: other than EventSource it says why a connection was refused, sends a header that tells the
 * gateway's own page from others, and notices a connection that has gone silent.
 */

/** The gateway says something every 15 seconds; after this long it is gone. Unit: ms. */
const SILENCE = 40_000;
const FIRST_RETRY = 300;
const LAST_RETRY = 10_000;

/** Cuts a growing text into events. Returns the rest that is not yet whole. */
export function readEvents(text, emit) {
  const blocks = text.split("\n\n");
  const rest = blocks.pop();
  for (const block of blocks) {
    const event = { name: "message", id: undefined, data: "" };
    for (const line of block.split("\n")) {
      const [, field, value] = /^(event|id|data): ?(.*)$/s.exec(line) ?? [];
      if (field === "event") event.name = value;
      else if (field === "id") event.id = value;
      else if (field === "data") event.data += value;
    }
    if (event.data !== "") emit({ ...event, data: JSON.parse(event.data) });
  }
  return rest;
}

/** How long to wait before the next try: longer each time, and not all tabs at once. Unit: ms. */
export function retryDelay(failures, random) {
  return Math.min(LAST_RETRY, FIRST_RETRY * 1.8 ** failures) * (0.75 + random() / 2);
}

/** Why a connection was refused. While an account restarts there is nothing at its address (404), which is nothing to tell a person. */
async function refusal(response) {
  const body = await response.json().catch(() => undefined);
  return { status: response.status, message: response.status === 404 ? undefined : body?.error?.message };
}

/**
 * Keeps a stream open for as long as it runs. `on.event` gets each event, `on.state` "open", "lost" or "denied" (signed out) with the
 * gateway's reason, if it gave one.
 */
export function createEventStream(url, on) {
  let lastId;
  let failures = 0;
  let running = false;
  let attempt = new AbortController();
  let retry;

  async function connect() {
    clearTimeout(retry);
    attempt.abort();
    attempt = new AbortController();
    const mine = attempt;
    const why = await follow(mine).catch(() => undefined);
    if (!running || mine !== attempt) return;
    if (why?.status === 401) {
      running = false;
      return on.state("denied");
    }
    on.state("lost", why?.message);
    retry = setTimeout(connect, retryDelay(failures, Math.random));
    failures += 1;
  }

  /** One connection from beginning to end; gives the reason when it was refused. */
  async function follow(mine) {
    const headers = {
      accept: "text/event-stream",
      "x-requested-with": "trunkline",
      ...(lastId === undefined ? {} : { "last-event-id": lastId }),
    };
    let watchdog = setTimeout(() => mine.abort(), SILENCE);
    try {
      const response = await fetch(url, { headers, signal: mine.signal, cache: "no-store" });
      if (!response.ok) return await refusal(response);
      failures = 0;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done || mine.signal.aborted) return undefined;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => mine.abort(), SILENCE);
        text = readEvents(text + value, (event) => {
          if (event.id !== undefined) lastId = event.id;
          on.event(event);
        });
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  return {
    start() {
      if (running) return;
      running = true;
      void connect();
    },
    /** Tries now rather than when the wait is over. */
    hurry() {
      if (!running) return;
      failures = 0;
      void connect();
    },
    stop() {
      running = false;
      clearTimeout(retry);
      attempt.abort();
    },
  };
}
