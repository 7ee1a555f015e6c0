// @ts-check
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A new folder with a configuration: web chat, and Telegram on an emulator. It is gone when the bench ends well.
 * @param {{ apiRoot: string, token: string }} emulator @param {string} modelUrl
 */
export function makeFolder({ apiRoot, token }, modelUrl) {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  const config = join(folder, "trunkline.yaml");
  // After a failure the logs are of use.
  process.once("exit", (code) => code === 0 && rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    config,
    `version: 1
providers:
  mock: { type: openai-compatible, baseUrl: "${modelUrl}", apiKey: test-key-000 }
agents:
  defaults: { model: { primary: mock/echo } }
  list:
    - { id: aria, identity: { name: Aria }, instructions: Answer briefly. }
channels:
  web:
    accounts: { main: {} }
  telegram:
    accounts:
      main:
        token: "${token}"
        apiRoot: "${apiRoot}"
        mode: polling
        dmPolicy: open
        allowFrom: ["*"]
messages:
  queue: { mode: followup } # the default mode may merge messages, which would count as speed
`,
  );
  return { folder, config };
}
