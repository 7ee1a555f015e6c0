import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlClient } from "../../../packages/gateway/src/control/client.ts";
import { controlSocketPath } from "../../../packages/gateway/src/data-folder.ts";
import { freePort } from "../../support/free-port.ts";
import { type GatewayChild, type Point, startGatewayChild } from "./gateway-child.ts";
import { judgeAnswers, type Verdict } from "./judge.ts";
import type { Story } from "./story.ts";
import type { World } from "./world.ts";

/** Longest time that a run may take, restart and search for lost messages included, ms. */
const RUN_MS = 30_000;

/** What one run of a story came to. */
export interface Run extends Verdict {
  /** The names of what happened until the process died, or until the end. */
  readonly trace: readonly string[];
  /** Whether the process died at the point that was asked for. */
  readonly died: boolean;
}

/** A gateway, a world around it, and a folder that outlives every process in it. */
export interface Lab {
  readonly world: World;
  /** Plays a story with a new person; with a point, the process dies there and is started again. */
  run(story: Story, kill?: Point): Promise<Run>;
  close(): Promise<void>;
}

let runs = 0;

/** Opens a lab. `fault`: a rule of the gateway that is taken away; see child/faults.mjs. */
export async function openLab(world: World, fault?: string): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-crash-"));
  const config = join(folder, "trunkline.yaml");
  writeFileSync(config, yamlOf(world, await freePort()));
  const workspace = join(folder, "data", "agents", "aria", "workspace");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "report.txt"), "All is well.\n");
  const data = join(folder, "data");
  const control = controlClient(controlSocketPath(data), data);
  let gateway: GatewayChild | undefined;

  const start = async (): Promise<GatewayChild> => {
    gateway = await startGatewayChild({ folder, config, fault });
    await world.up(gateway.url, data);
    return gateway;
  };
  const stop = async (): Promise<void> => {
    world.down();
    await gateway?.kill();
  };
  return {
    world,
    async run(story, kill) {
      // Every run in a new process, so that a run that is written down and one that dies are alike.
      await stop();
      let current = await start();
      const person = await world.meet(story.place);
      await world.quiet();
      runs += 1;
      const mark = `r${runs}`;
      await current.begin(kill);
      const until = async (condition: () => boolean): Promise<void> => {
        while (!condition()) await world.somethingHappens();
      };
      const deadline = performance.now() + RUN_MS;
      const first = current;
      let played = false;
      let failed: unknown;
      const playing = story.play(person, mark, until).then(
        () => (played = true),
        (error: unknown) => (failed = error),
      );
      const problems: string[] = [];
      for (;;) {
        if (current.isGone) {
          if (current !== first) problems.push(`the gateway died again:\n${current.log().slice(-2000)}`);
          world.down();
          current = await start();
        }
        const status = played ? await control.status({}).catch(() => undefined) : undefined;
        if (status && status.messages.open + status.openParts === 0 && status.messages.accepted === world.handedOver()) {
          const ended = Object.values(status.messages.dispositions).reduce((sum, count) => sum + count, 0);
          if (ended !== status.messages.accepted) problems.push(`${status.messages.accepted} accepted, ${ended} ended`);
          const seen = person.answers();
          const { undecidedResent: resent, undecidedHeld: held } = status.ambiguity;
          const verdict = judgeAnswers({ expected: story.answers(mark), seen, undecided: { resent, held } });
          const again = await person.lookAgain();
          if (again !== undefined) problems.push(again);
          problems.push(...verdict.problems);
          return { ...verdict, problems, trace: first.trace(), died: first.isGone };
        }
        if (failed !== undefined || performance.now() > deadline) {
          problems.push(failed === undefined ? `not over after ${RUN_MS} ms: ${JSON.stringify(status ?? "no status")}` : String(failed));
          return { problems: [...problems, current.log().slice(-3000)], doubled: 0, missing: 0, trace: first.trace(), died: first.isGone };
        }
        await Promise.race([world.somethingHappens(), current.ended, ...(played ? [] : [playing])]);
      }
    },
    async close() {
      await stop();
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
