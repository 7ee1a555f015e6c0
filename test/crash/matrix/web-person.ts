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
    this.connect();
  }

  /** Opens the stream, or opens it again. */
  connect(): void {
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
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  answers(): readonly string[] {
    return wordsOf([...this.#seen.values()]);
  }

  sawWork(): boolean {
    return this.#worked;
  }

  async lookAgain(): Promise<string | undefined> {
    const url = await this.#side.address();
    const stop = new AbortController();
    let fresh: readonly SeenMessage[] = [];
    const onEvent = ({ name, data }: TabEvent): void => {
      if (name !== "snapshot") return;
      fresh = (data as { messages: readonly SeenMessage[] }).messages;
      stop.abort();
    };
    await followEvents({
      url,
      cookie: this.#cookieAt(url),
      client: randomUUID(),
      lastEventId: undefined,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(5000)]),
      onEvent,
    });
    if (this.#preview !== "") return `a preview was left behind: ${this.#preview}`;
    const [here, there] = [[...this.#seen.values()], fresh].map((messages) => JSON.stringify(wordsOf(messages)));
    return here === there ? undefined : `another tab shows ${there}, this one ${here}`;
  }

  async #follow(): Promise<void> {
    const url = await this.#side.address();
    this.#isConnected = false;
    await followEvents({
      url,
      cookie: this.#cookieAt(url),
      client: this.#client,
      lastEventId: this.#lastEventId,
      signal: this.#leaving.signal,
      onEvent: (event) => this.#take(event),
    });
    this.#isConnected = false;
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
