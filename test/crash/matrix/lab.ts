import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlClient } from "../../../packages/gateway/src/control/client.ts";
import type { ControlApi, GatewayStatus } from "../../../packages/gateway/src/control/protocol.ts";
import { controlSocketPath } from "../../../packages/gateway/src/data-folder.ts";
import { freePort } from "../../support/free-port.ts";
import { type GatewayChild, type Point, prepareGateway, type Standby } from "./gateway-child.ts";
import { judgeAnswers, type Verdict } from "./judge.ts";
import type { Story } from "./story.ts";
import type { Person, World } from "./world.ts";

/** Longest time that a run may take, restart and search for lost messages included, ms. */
const RUN_MS = 60_000;

/** What one run of a story came to. */
export interface Run extends Verdict {
  /** The names of what happened until the process died, or until the end. */
  readonly trace: readonly string[];
  /** Whether the process died at the point that was asked for. */
  readonly died: boolean;
}

let runs = 0;

/**
 * A gateway, a world around it, and a folder that outlives every process in it. A process that came up after a death goes on with the
 * next run, with a person whom it does not know.
 */
export class Lab {
  readonly world: World;
  readonly #folder: string;
  readonly #fault: string | undefined;
  readonly #control: ControlApi;
  #standby: Standby;
  #gateway: GatewayChild | undefined;

  /** Opens a lab. `fault`: a rule of the gateway that is taken away; see child/faults.mjs. */
  static async open(world: World, fault?: string): Promise<Lab> {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-crash-"));
    writeFileSync(join(folder, "trunkline.yaml"), yamlOf(world, await freePort()));
    const workspace = join(folder, "data", "agents", "aria", "workspace");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "report.txt"), "All is well.\n");
    return new Lab(world, folder, fault);
  }

  private constructor(world: World, folder: string, fault: string | undefined) {
    this.world = world;
    this.#folder = folder;
    this.#fault = fault;
    this.#control = controlClient(controlSocketPath(this.#data), this.#data);
    this.#standby = prepareGateway({ folder, fault });
  }

  /** Plays a story with a new person; with a point, the process dies there and is started again. */
  async run(story: Story, kill?: Point): Promise<Run> {
    const gateway = this.#gateway ?? (await this.#start());
    const person = await this.world.meet(story.place);
    await this.world.quiet();
    await gateway.begin(kill);
    runs += 1;
    const mark = `r${runs}`;
    const problems: string[] = [];
    const end = await this.#untilSettled(
      story.play(person, mark, (condition) => this.#until(condition)),
      problems,
    );
    const died = gateway.isGone();
    const trace = gateway.trace();
    if (!died) await gateway.end();
    const verdict = end === undefined ? NO_VERDICT : await judge(story.answers(mark), person, end);
    return { ...verdict, problems: [...problems, ...verdict.problems], trace, died };
  }

  async close(): Promise<void> {
    this.world.down();
    await Promise.all([this.#gateway?.kill(), this.#standby.kill()]);
    await this.world.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  async #start(): Promise<GatewayChild> {
    const gateway = await this.#standby.start();
    this.#standby = prepareGateway({ folder: this.#folder, fault: this.#fault });
    this.#gateway = gateway;
    await this.world.up(gateway.url, this.#data);
    return gateway;
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.world.somethingHappens();
  }

  /** Waits until the story is over and nothing is left to do, over a death of the gateway. Undefined when that does not come about. */
  async #untilSettled(playing: Promise<void>, problems: string[]): Promise<GatewayStatus | undefined> {
    const deadline = performance.now() + RUN_MS;
    let played = false;
    let failure: unknown;
    const over = playing.then(
      () => (played = true),
      (error: unknown) => (failure = error),
    );
    let deaths = 0;
    while (failure === undefined && performance.now() < deadline) {
      const gateway = this.#gateway!;
      if (gateway.isGone()) {
        deaths += 1;
        if (deaths > 1) {
          problems.push(`the gateway died again:\n${gateway.log().slice(-2000)}`);
          return undefined;
        }
        this.world.down();
        await this.#start();
        // What the platform sends again has to be there before anybody can say that all is settled.
        await this.world.quiet();
      }
      const status = played ? await this.#control.status({}).catch(() => undefined) : undefined;
      if (status && this.#isSettled(status, problems)) return status;
      await Promise.race([this.world.somethingHappens(), this.#gateway!.ended, ...(played ? [] : [over])]);
    }
    problems.push(failure === undefined ? `not over after ${RUN_MS} ms: ${await this.#state()}` : String(failure));
    return undefined;
  }

  /** Accepted messages are the open ones and the ended ones; settled, when each that was handed over has ended and every part too. */
  #isSettled({ messages, openParts }: GatewayStatus, problems: string[]): boolean {
    const ended = Object.values(messages.dispositions).reduce((sum, count) => sum + count, 0);
    if (messages.accepted !== messages.open + ended) problems.push(`${messages.accepted} accepted, ${messages.open} open, ${ended} ended`);
    if (messages.accepted > this.world.handedOver()) problems.push(`${messages.accepted} accepted of ${this.world.handedOver()}`);
    return messages.open + openParts === 0 && messages.accepted >= this.world.handedOver();
  }

  async #state(): Promise<string> {
    const status = await this.#control.status({}).catch((error: unknown) => ({ error: String(error) }));
    return `${JSON.stringify(status)}\n${this.#gateway?.log().slice(-3000) ?? ""}`;
  }
}

const NO_VERDICT: Verdict = { problems: [], doubled: 0, missing: 0 };

async function judge(expected: readonly (readonly string[])[], person: Person, { ambiguity }: GatewayStatus): Promise<Verdict> {
  const undecided = { resent: ambiguity.undecidedResent, held: ambiguity.undecidedHeld };
  const verdict = judgeAnswers({ expected, seen: person.answers(), undecided });
  const again = await person.lookAgain();
  return again === undefined ? verdict : { ...verdict, problems: [...verdict.problems, again] };
}

function yamlOf(world: World, port: number): string {
  return `version: 1
gateway: { host: 127.0.0.1, port: ${port} }
agents:
  defaults: { model: { primary: script/play } }
  list:
    - { id: aria, identity: { name: Aria }, instructions: Follow the script. }
channels:
${world.accountYaml}messages:
  queue: { mode: followup }
`;
}
