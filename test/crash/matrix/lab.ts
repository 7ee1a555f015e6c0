import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlClient } from "../../../packages/gateway/src/control/client.ts";
import type { ControlApi, GatewayStatus } from "../../../packages/gateway/src/control/protocol.ts";
import { controlSocketPath } from "../../../packages/gateway/src/data-folder.ts";
import { freePort } from "../../support/free-port.ts";
import { CHILD } from "./build-child.ts";
import { type GatewayChild, type GatewayChildOptions, type Point, prepareGateway, type Standby } from "./gateway-child.ts";
import { judgeAnswers, type Verdict } from "./judge.ts";
import { judgeTool } from "./judge-tool.ts";
import type { Story } from "./story.ts";
import type { Person, World } from "./world.ts";

/** Longest time that a run may take, restart and search for lost messages included, ms. */
const RUN_MS = 45_000;

/** What one run of a story came to. */
export interface Run extends Verdict {
  /** The names of what happened until the process died, or until the end. */
  readonly trace: readonly string[];
  /** Whether the process died at the point that was asked for. */
  readonly died: boolean;
}

/** What of a lab is not its world. */
export type LabOptions = Omit<GatewayChildOptions, "folder" | "program">;

let runs = 0;

/**
 * A gateway, a world around it, and a folder that outlives every process in it. A process that came up after a death goes on with the
 * next run, with a person whom it does not know.
 */
export class Lab {
  readonly world: World;
  readonly #folder: string;
  readonly #options: GatewayChildOptions;
  readonly #control: ControlApi;
  #standby: Standby;
  #gateway: GatewayChild | undefined;
  /** The process that came up after the first death of a run. */
  #second: GatewayChild | undefined;
  #closed = false;

  static async open(world: World, options: LabOptions = { agent: "built-in" }): Promise<Lab> {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-crash-"));
    writeFileSync(join(folder, "trunkline.yaml"), yamlOf(world, await freePort()));
    const workspace = join(folder, "data", "agents", "aria", "workspace");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "report.txt"), "All is well.\n");
    return new Lab(world, { ...options, folder, program: CHILD });
  }

  private constructor(world: World, options: GatewayChildOptions) {
    this.world = world;
    this.#folder = options.folder;
    this.#options = options;
    this.#control = controlClient(controlSocketPath(this.#data), this.#data);
    this.#standby = prepareGateway(options);
  }

  /** Plays a story with a new person; with a point, the process dies there and is started again. */
  async run(story: Story, kill?: Point): Promise<Run> {
    const first = this.#gateway ?? (await this.#start());
    const person = await this.world.meet(story.place);
    await this.world.quiet();
    this.#second = undefined;
    const before = (await this.#control.status({})).ambiguity;
    await first.begin(story.diesFirst ?? kill);
    runs += 1;
    const mark = `r${runs}`;
    const problems = new Set<string>();
    const playing = story.play(person, mark, (condition) => this.#until(condition));
    const end = await this.#untilSettled(story, kill, playing, problems);
    const recorded = story.diesFirst === undefined ? first : (this.#second ?? first);
    const died = recorded.isGone();
    const trace = recorded.trace();
    await this.#gateway?.end().catch(() => {});
    if (end === undefined) return { problems: [...problems], doubled: 0, missing: 0, trace, died };
    const since = first.isGone() ? end.ambiguity : difference(end.ambiguity, before);
    const verdict = await judge(story, mark, person, since);
    for (const problem of [...verdict.problems, ...this.#judgeTool(story, mark, person, first.trace())]) problems.add(problem);
    return { ...verdict, problems: [...problems], trace, died };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.world.down();
    await Promise.all([this.#gateway?.kill(), this.#standby.kill()]);
    await this.world.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  async #start(begin?: { readonly kill?: Point }): Promise<GatewayChild> {
    const gateway = await this.#standby.start(begin);
    this.#standby = prepareGateway(this.#options);
    this.#gateway = gateway;
    if (gateway.url !== "") await this.world.up(gateway.url, this.#data);
    return gateway;
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.#closed) await this.world.somethingHappens();
  }

  /** Waits until the story is over and nothing is left to do, over deaths of the gateway. Undefined when that does not come about. */
  async #untilSettled(
    story: Story,
    kill: Point | undefined,
    playing: Promise<void>,
    problems: Set<string>,
  ): Promise<GatewayStatus | undefined> {
    const deadline = performance.now() + RUN_MS;
    let played = false;
    let failure: unknown;
    const over = playing.then(
      () => (played = true),
      (error: unknown) => (failure = error),
    );
    let deaths = 0;
    while (failure === undefined && performance.now() < deadline) {
      if (this.#gateway!.isGone()) {
        deaths += 1;
        if (deaths > (story.deaths ?? (story.diesFirst ? 2 : 1))) {
          problems.add(`the gateway died again:\n${this.#gateway!.log().slice(-2000)}`);
          return undefined;
        }
        const begin = kill === undefined ? {} : { kill };
        await this.#restart(deaths === 1 && story.diesFirst ? begin : undefined);
        if (deaths === 1) this.#second = this.#gateway;
        continue;
      }
      const status = played ? await this.#control.status({}).catch(() => undefined) : undefined;
      if (status && this.#isSettled(status, problems)) return status;
      await Promise.race([this.world.somethingHappens(), this.#gateway!.ended, ...(played ? [] : [over])]);
    }
    problems.add(failure === undefined ? `not over after ${RUN_MS} ms: ${await this.#state()}` : String(failure));
    return undefined;
  }

  async #restart(begin: { readonly kill?: Point } | undefined): Promise<void> {
    this.world.down();
    const next = await this.#start(begin);
    // What the platform sends again has to be there before anybody can say that all is settled.
    await Promise.race([this.world.quiet(), next.ended]);
  }

  /** Accepted messages are the open ones and the ended ones; settled, when each that was handed over has ended and every part too. */
  #isSettled({ messages, openParts }: GatewayStatus, problems: Set<string>): boolean {
    const ended = Object.values(messages.dispositions).reduce((sum, count) => sum + count, 0);
    if (messages.accepted !== messages.open + ended) problems.add(`${messages.accepted} accepted, ${messages.open} open, ${ended} ended`);
    if (messages.accepted > this.world.handedOver()) problems.add(`${messages.accepted} accepted of ${this.world.handedOver()} messages`);
    return messages.open + openParts === 0 && messages.accepted >= this.world.handedOver();
  }

  #judgeTool({ tool, agent }: Story, mark: string, person: Person, trace: readonly string[]): readonly string[] {
    if (tool === undefined) return [];
    const log = join(this.#folder, "tools.log");
    const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
    const ran = lines.filter((line) => line === `${tool.name} ${mark}`).length;
    const unknown = person.answers().some((words) => words.startsWith("Nobody knows"));
    return judgeTool({ tool, trace, ran, ...(agent === "built-in" ? { unknown } : {}) });
  }

  async #state(): Promise<string> {
    const status = await this.#control.status({}).catch((error: unknown) => ({ error: String(error) }));
    return `${JSON.stringify(status)}\n${this.#gateway?.log().slice(-3000) ?? ""}`;
  }
}

type Undecided = Pick<GatewayStatus["ambiguity"], "undecidedResent" | "undecidedHeld">;

function difference(after: Undecided, before: Undecided): Undecided {
  return {
    undecidedResent: after.undecidedResent - before.undecidedResent,
    undecidedHeld: after.undecidedHeld - before.undecidedHeld,
  };
}

async function judge(story: Story, mark: string, person: Person, { undecidedResent, undecidedHeld }: Undecided): Promise<Verdict> {
  const undecided = { resent: undecidedResent, held: undecidedHeld };
  const { read = (words) => [words] } = story;
  const verdict = judgeAnswers({
    expected: story.answers(mark),
    mayStay: story.mayStay?.(mark) ?? [],
    seen: person.answers().flatMap((words) => read(words)),
    undecided,
  });
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
