import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { controlClient } from "../../packages/gateway/src/control/client.ts";
import { controlSocketPath } from "../../packages/gateway/src/data-folder.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

it("a gateway goes on when nobody reads what it prints and logs any more", async () => {
  const folder = tempFolder();
  const data = join(folder, "data");
  const configure = (more: string): void =>
    writeFileSync(join(folder, "trunkline.yaml"), `version: 1\nlogs: { level: debug }\n${more}`, { mode: 0o600 });
  configure("");
  const gateway = await startGatewayProcess(["--config", folder, "--data", data]);
  gateway.child.stdout?.destroy();
  gateway.child.stderr?.destroy();
  const { status } = controlClient(controlSocketPath(data), data);
  for (const revision of [2, 3]) {
    // Each change is logged: into a pipe that is broken.
    configure(`messages: { silentToken: SILENT_${revision} }\n`);
    await waitUntil(async () => (await status({})).config.revision === revision, "the change is used");
  }
  expect((await fetch(new URL("/healthz", gateway.address))).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
});
