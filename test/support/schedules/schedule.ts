import { BUILT_IN_COMMANDS, createHooks, createModelRegistry, createPipeline, createStepLoop, type Pipeline } from "@trunkline/core";
import { createIds, type GatewayConfig, type InboundMessage, silentLogger, type Store } from "@trunkline/plugin-sdk";
import { createTextTool, createVirtualClock, type VirtualClock } from "@trunkline/plugin-sdk/testing";
import { createFakeChannel, type FakeChannel } from "../../../packages/core/src/fake-channel.ts";
import { fakeConfig, fakeSource } from "../../../packages/core/src/fake-config.ts";
import { NEW_YEAR } from "../../../packages/core/src/fake-message.ts";
import { createLife, type Life } from "../mortal.ts";
import { seededRandom } from "../random.ts";
import { type Brain, type CallEnd, createBrain, rounds, said } from "./actors.ts";
import { findFault, isOver, openBefore, type Told } from "./books.ts";

/** What a schedule runs on; shared by many. */
export interface Ground {
  readonly store: Store;
  readonly folder: string;
}

interface Process {
  readonly life: Life;
  readonly pipeline: Pipeline;
  readonly brain: Brain;
  dead: boolean;
}

/** Actions of one schedule, before it is left to come to rest. */
const MOST_ACTIONS = 24;

/** Rounds of the event loop within which a stop takes effect while no time passes. */
const STOP_ROUNDS = 60;

/** Looks, half a second apart, within which everything comes to rest. */
const REST_LOOKS = 80;

/**
 * One random schedule: messages arrive, turns start, step, finish, fail, are stopped and time out, the process dies and another one starts, in an order that
 * the seed gives; then everything may come to rest. Gives what is wrong, or undefined. The dispatch, the step loop and the store are the real ones.
 */
export async function runSchedule(seed: number, ground: Ground): Promise<string | undefined> {
  return new Schedule(seed, ground).run();
}

class Schedule {
  readonly #random: () => number;
  readonly #clock: VirtualClock = createVirtualClock(NEW_YEAR);
  readonly #ground: Ground;
  readonly #platform: FakeChannel = createFakeChannel();
  readonly #config: GatewayConfig;
  readonly #places: readonly string[];
  readonly #told: Told[] = [];
  readonly #seed: number;
  readonly #wrong: string[] = [];
  #process!: Process;
  /** Told and not yet acknowledged: the platform tells it again. */
  #unheard: Told[] = [];
  #intake: Promise<void> = Promise.resolve();
  #processes = 0;

  constructor(seed: number, ground: Ground) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#ground = ground;
    this.#places = Array.from({ length: 1 + this.#below(3) }, (_, n) => `p${seed}x${n}`);
    this.#config = this.#someConfig();
  }

  async run(): Promise<string | undefined> {
    await this.#begin(true);
    const actions = 4 + this.#below(MOST_ACTIONS);
    for (let n = 0; n < actions && this.#wrong.length === 0; n += 1) {
      if (this.#process.dead) await this.#begin(true);
      await this.#act();
      await rounds(this.#below(7));
    }
    const rested = await this.#rest();
    this.#wrong.push(...this.#process.brain.broken);
    const fault =
      this.#wrong[0] ?? (rested ? await findFault(this.#ground.store, this.#told, this.#platform) : "something never came to rest");
    await this.#end();
    return fault === undefined ? undefined : `schedule ${this.#seed} (${this.#config.messages.queue.mode}): ${fault}`;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#below(of.length)]!;
  }

  #someConfig(): GatewayConfig {
    const mode = this.#one(["collect", "collect", "followup", "steer", "interrupt", "drop-new"] as const);
    const queue = {
      mode,
      debounceMs: this.#one([0, 1000]),
      cap: this.#one([2, 20]),
      drop: this.#one(["summarize", "old", "new"] as const),
    };
    return fakeConfig({
      account: { dmPolicy: "open", allowFrom: ["*"], streaming: "off", debounceMs: this.#one([0, 0, 300]) },
      gateway: { host: "127.0.0.1", port: 0, allowedHosts: [], maxConcurrentTurns: this.#one([1, 2, 64]) },
      messages: { queue },
      commands: { allowFrom: this.#places.map((place) => `fake:main:${place}`) },
    });
  }

  /** A process starts on what the one before it left; it may die at a point of its life. */
  async #begin(mortal: boolean): Promise<void> {
    this.#wrong.push(...(this.#process?.brain.broken ?? []));
    this.#process?.life.kill();
    // What it had given to the disk gets there, or does not, before another process reads it.
    await rounds(8);
    await this.#clock.advance(5);
    this.#processes += 1;
    const random = seededRandom(this.#seed * 1009 + this.#processes);
    const life = createLife({ eager: true, dieAt: mortal && this.#below(3) > 0 ? this.#below(60) : undefined });
    const brain = createBrain();
    const loop = createStepLoop({ models: createModelRegistry([life.model(brain.model)]), clock: this.#clock, logger: silentLogger });
    const { plugin } = this.#platform;
    const pipeline = createPipeline({
      config: fakeSource(this.#config),
      store: life.store(this.#ground.store),
      clock: this.#clock,
      ids: createIds(() => this.#clock.now(), random),
      logger: silentLogger,
      hooks: createHooks(this.#clock, silentLogger),
      agent: brain.agent(loop),
      channels: [{ ...plugin, connect: (config, host) => life.transport(plugin.connect(config, host)) }],
      commands: BUILT_IN_COMMANDS,
      tools: [life.tool(createTextTool("look", async () => "seen"))],
      dataFolder: this.#ground.folder,
      random,
      secureBytes: (count) => new Uint8Array(count),
      owner: `process-${this.#processes}`,
    });
    const process: Process = { life, pipeline, brain, dead: false };
    this.#process = process;
    void life.died.then(() => (process.dead = true));
    await Promise.race([pipeline.start(), life.died]);
    // The platform tells again what nobody acknowledged, and goes on behind it.
    this.#intake = Promise.resolve();
    for (const told of this.#unheard) this.#tell(told);
  }

  /** One message after the other, as a platform tells them. */
  #tell(told: Told): void {
    const process = this.#process;
    this.#intake = this.#intake.then(async () => {
      const [receipt] = await process.pipeline.receive([{ ...told.message, sentAt: this.#clock.now() }]);
      if (process.dead) return;
      told.id = receipt!.id;
      this.#unheard = this.#unheard.filter((one) => one !== told);
    });
  }

  #hear(message: InboundMessage, token?: string): Told {
    const told: Told = { message, token, id: undefined, again: false };
    this.#told.push(told);
    this.#unheard.push(told);
    this.#tell(told);
    return told;
  }

  async #act(): Promise<void> {
    const dice = this.#below(100);
    if (dice < 38) this.#talk();
    else if (dice < 44) this.#hear(said(this.#one(this.#places), { id: this.#newId(), text: "/whoami" }));
    else if (dice < 51) await this.#stop();
    else if (dice < 60) this.#changeSomething();
    else if (dice < 65) this.#tellAgain();
    else if (dice < 88) this.#endCall(this.#one(["answer", "answer", "tool", "fail"] as const));
    else if (dice < 96) await this.#clock.advance(this.#one([50, 300, 1000, 2500]));
    else if (dice < 97) await this.#clock.advance(10 * 60_000);
    else if (dice < 98) await this.#begin(true);
    else await this.#stopGently();
  }

  #newId(): string {
    return `${this.#seed}n${this.#told.length}`;
  }

  #talk(): void {
    const id = this.#newId();
    this.#hear(said(this.#one(this.#places), { id, text: `tok:${id}` }), id);
  }

  #changeSomething(): void {
    const talk = this.#told.filter(({ token }) => token !== undefined);
    if (talk.length === 0) return;
    const { message, token } = talk.at(-1 - this.#below(Math.min(3, talk.length)))!;
    const edit = this.#below(2) === 0;
    const event = { id: message.id, eventId: this.#newId() };
    this.#hear(
      said(message.conversation.id, edit ? { kind: "edit", ...event, text: `tok:${token} changed` } : { kind: "delete", ...event }),
    );
  }

  #tellAgain(): void {
    const heard = this.#told.filter(({ id }) => id !== undefined);
    if (heard.length > 0) this.#tell({ ...this.#one(heard), again: true });
  }

  #endCall(how: CallEnd): void {
    const calls = [...this.#process.brain.calls];
    if (calls.length > 0) this.#one(calls).end(how);
  }

  /** A stop ends what came before it within its second, whatever else goes on. */
  async #stop(): Promise<void> {
    const process = this.#process;
    const told = this.#hear(said(this.#one(this.#places), { id: this.#newId(), text: "/stop" }));
    await Promise.race([this.#intake, process.life.died]);
    if (process.dead || told.id === undefined) return;
    for (let look = 0; look < STOP_ROUNDS; look += 1) {
      await rounds(1);
      if (process.dead || (await openBefore(this.#ground.store, told)) === 0) return;
    }
    await this.#clock.advance(1000);
    await rounds(STOP_ROUNDS);
    if (!process.dead && (await openBefore(this.#ground.store, told)) > 0)
      this.#wrong.push(`a stop (${told.id}) was not heard within its second`);
  }

  async #stopGently(): Promise<void> {
    await this.#end();
    await this.#begin(true);
  }

  async #end(): Promise<void> {
    const { pipeline, life } = this.#process;
    const ended = pipeline.stop(0);
    let over = false;
    void Promise.race([ended, life.died]).then(() => (over = true));
    for (let n = 0; n < 40 && !over; n += 1) await this.#clock.advance(500);
  }

  /** Nothing new happens, every call is answered, and nobody dies any more. */
  async #rest(): Promise<boolean> {
    // A process that may still die is replaced by one that lives.
    await this.#begin(false);
    for (let look = 0; look < REST_LOOKS; look += 1) {
      for (const call of this.#process.brain.calls) call.end("answer");
      await this.#clock.advance(look < 10 ? 100 : 500);
      await rounds(2);
      if (this.#unheard.length === 0 && (await isOver(this.#ground.store, this.#places))) return true;
    }
    return false;
  }
}
