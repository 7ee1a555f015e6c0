/** A person in a conversation of their own, and what they see of it, whatever happens to the gateway. */
export interface Person {
  /** Says something; resolves when it is on its way for good: the platform has it, or the gateway took it. */
  say(text: string): Promise<void>;
  /** What the agent said and can be seen now, oldest first: texts, and `[file NAME]`. */
  answers(): readonly string[];
  /** Whether the agent was seen at work on an answer: it typed, or a preview grew. */
  sawWork(): boolean;
  /** Looks again with fresh eyes (another device); must see the same. Gives what is wrong, if anything. */
  lookAgain(): Promise<string | undefined>;
}

/** A platform with people in it, as the gateway's other end. */
export interface World {
  /** Name of the platform in tables and of the channel in the configuration. */
  readonly channel: "telegram" | "web";
  /** The configuration of the gateway's account there: the lines below `channels:`. */
  readonly accountYaml: string;
  /** A person who was never here before. `place`: where they talk; a world without groups has none. */
  meet(place: "direct" | "group"): Promise<Person>;
  /** The gateway is up (again), at this address, with this data folder. */
  up(url: string, dataFolder: string): Promise<void>;
  /** The gateway is gone. */
  down(): void;
  /** Resolves when nothing of the start is left to happen: the gateway listens, everybody is connected, and nothing waits to be fetched. */
  quiet(): Promise<void>;
  /** Resolves at the next thing that somebody sees, or shortly. */
  somethingHappens(): Promise<void>;
  /** Messages that were handed over so far, each once. */
  handedOver(): number;
  close(): Promise<void>;
}
