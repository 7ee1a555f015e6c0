import { randomUUID } from "node:crypto";
import { followEvents, type TabEvent } from "./web-tab.ts";
import type { Person } from "./world.ts";

/** What a person at a browser needs of their world. */
export interface WebSide {
  /** Where the gateway is; waits until it is somewhere. */
  address(): Promise<string>;
  /** Something can be seen. */
  happened(): void;
}

interface SeenMessage {
  readonly id: string;
  readonly direction: "in" | "out";
  readonly plain?: string;
  readonly media?: readonly { readonly name: string }[];
}

/**
 * A person at a browser. Posts as the page does: one id for each message, until the gateway has it. Watches as the page does: by the id of
 * a message, by the last event's number. Unlike the page it forgives nothing: what it saw once must be there whenever all is shown again.
 */
export class WebPerson implements Person {
  readonly #cookie: string;
  readonly #side: WebSide;
  readonly #onTaken: () => void;
  readonly #leaving = new AbortController();
  readonly #seen = new Map<string, SeenMessage>();
  readonly #client = randomUUID();
  #lastEventId: string | undefined;
  #worked = false;
  #preview = "";
  #isConnected = false;
  #waiting: (() => void)[] = [];

  /** `cookie`: the value that signs this visitor in. `onTaken`: called when the gateway has a message for the first time. */
  constructor(cookie: string, side: WebSide, onTaken: () => void) {
    this.#cookie = cookie;
    this.#side = side;
    this.#onTaken = onTaken;
    void this.#follow();
  }

  /** Resolves when the stream has said what there was. */
  async connected(): Promise<void> {
    while (!this.#isConnected) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    this.#leaving.abort();
  }

  async say(text: string): Promise<void> {
    const clientId = randomUUID();
    this.#onTaken();
    for (;;) {
      const url = await this.#side.address();
      const headers = { "content-type": "application/json", origin: url, cookie: this.#cookieAt(url) };
      const body = JSON.stringify({ clientId, text });
      const response = await fetch(`${url}/web/messages`, { method: "POST", headers, body }).catch(() => undefined);
      await response?.text().catch(() => {});
      if (response?.status === 202) return;
      if (response !== undefined && response.status !== 503 && response.status !== 404) throw new Error(`refused: ${response.status}`);
      // Nobody answered, or nobody could take it yet: again, as soon as something is different.
      await soon();
    }
  }

  answers(): readonly string[] {
    return wordsOf([...this.#seen.values()]);
  }

  sawWork(): boolean {
    return this.#worked;
  }

  async lookAgain(): Promise<string | undefined> {
    if (this.#preview !== "") return `a preview was left behind: ${this.#preview}`;
    const [here, there] = [[...this.#seen.values()], await this.#snapshot()].map((messages) => JSON.stringify(wordsOf(messages)));
    return here === there ? undefined : `another tab shows ${there}, this one ${here}`;
  }

  /** What a tab that opens now is shown. */
  async #snapshot(): Promise<readonly SeenMessage[]> {
    for (;;) {
      const url = await this.#side.address();
      let show: (messages: readonly SeenMessage[]) => void;
      const shown = new Promise<readonly SeenMessage[]>((resolve) => (show = resolve));
      const enough = new AbortController();
      const following = followEvents({
        url,
        cookie: this.#cookieAt(url),
        client: randomUUID(),
        lastEventId: undefined,
        signal: enough.signal,
        onEvent: ({ name, data }) => name === "snapshot" && show((data as { messages: readonly SeenMessage[] }).messages),
      });
      const snapshot = await Promise.race([shown, following]);
      enough.abort();
      if (snapshot !== undefined) return snapshot;
      await soon();
    }
  }

  /** Follows the stream, and comes back whenever it ends. */
  async #follow(): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      const url = await this.#side.address();
      await followEvents({
        url,
        cookie: this.#cookieAt(url),
        client: this.#client,
        lastEventId: this.#lastEventId,
        signal: this.#leaving.signal,
        onEvent: (event) => this.#take(event),
      });
      this.#isConnected = false;
      await soon();
    }
  }

  #take({ name, id, data }: TabEvent): void {
    if (id !== undefined) this.#lastEventId = id;
    if (name === "snapshot") {
      for (const message of data.messages as readonly SeenMessage[]) this.#show(message);
      this.#preview = data.preview?.html ?? "";
    } else if (name === "message" || name === "echo") {
      this.#show(data as SeenMessage);
      if (name === "message") this.#preview = "";
    } else if (name === "preview") {
      this.#preview = (data as { html: string }).html;
      this.#worked ||= this.#preview !== "";
    } else if (name === "typing") this.#worked = true;
    if (name === "snapshot" || name === "resume") {
      this.#isConnected = true;
      for (const wake of this.#waiting.splice(0)) wake();
    }
    this.#side.happened();
  }

  /** One id is one message, however often it comes. */
  #show(message: SeenMessage): void {
    if (!this.#seen.has(message.id)) this.#seen.set(message.id, message);
  }

  #cookieAt(url: string): string {
    return `trunkline_${new URL(url).port}=${this.#cookie}`;
  }
}

function wordsOf(messages: readonly SeenMessage[]): readonly string[] {
  return messages
    .filter(({ direction }) => direction === "out")
    .map(({ plain = "", media = [] }) => [...media.map(({ name }) => `[file ${name}]`), plain].filter((word) => word !== "").join(" "));
}

/** The page waits longer before it tries again; here nobody is spared. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
