/** One event of the page's stream. */
export interface TabEvent {
  readonly name: string;
  readonly id: string | undefined;
  // What is in it differs from event to event.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Reads one connection of the stream to its end, however it ends. Resolves then. */
export async function followEvents(options: {
  readonly url: string;
  readonly cookie: string;
  readonly client: string;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: TabEvent) => void;
}): Promise<void> {
  const headers = {
    accept: "text/event-stream",
    "x-requested-with": "trunkline",
    cookie: options.cookie,
    ...(options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId }),
  };
  try {
    const response = await fetch(`${options.url}/web/events?client=${options.client}`, { headers, signal: options.signal });
    if (!response.ok || response.body === null) return;
    let text = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = readEvent(block);
        if (event !== undefined) options.onEvent(event);
      }
    }
  } catch {
    // The gateway died: whoever follows comes back when it is up.
  }
}

function readEvent(block: string): TabEvent | undefined {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const [name, data] = [field("event"), field("data")];
  return name === undefined || data === undefined ? undefined : { name, id: field("id"), data: JSON.parse(data) };
}
