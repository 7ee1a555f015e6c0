import { type Store, STORE, type StoreStats } from "@trunkline/plugin-sdk";
import { createTelegramEmulator, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const MOST_STATEMENTS = 18;
const MOST_DURABLE_COMMITS = 2;
const PERSON = { userId: 1001, firstName: "Ann" };

it(
  `a plain answer costs at most ${MOST_STATEMENTS} statements and ${MOST_DURABLE_COMMITS} durable commits`,
  { timeout: 60_000 },
  async () => {
    const emulator = await createTelegramEmulator();
    onTestFinished(() => emulator.close());
    const model = await modelServer();
    const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url });
    const { container } = await gatewayFromYaml(tempFolder(), yaml);
    const store = container.get(STORE);
    for (const text of ["hello", "how are you?"]) await answered(emulator, text); // the session and the statements are warm now
    let before = await quietStats(store);
    for (const text of ["one", "two", "three"]) {
      await answered(emulator, text);
      const after = await quietStats(store);
      const commits = after.commits.durable - before.commits.durable;
      const statements = after.statements - before.statements;
      // Neither is free: a zero would mean that nothing was counted.
      expect(commits).toBeGreaterThan(0);
      expect(statements).toBeGreaterThan(0);
      expect(commits).toBeLessThanOrEqual(MOST_DURABLE_COMMITS);
      expect(statements).toBeLessThanOrEqual(MOST_STATEMENTS);
      console.log(
        `${store.dialect}: ${statements} statements, ${commits} durable commits, ${after.control - before.control} of transaction control`,
      );
      before = after;
    }
  },
);

/** Says something and waits for its answer. */
async function answered(emulator: TelegramEmulator, text: string): Promise<void> {
  const count = emulator.audit.visibleFromBot().length;
  emulator.send(emulator.privateChat(PERSON), PERSON, { text });
  await emulator.waitFor((audit) => audit.visibleFromBot().length > count);
}

/** The counters when nothing was counted for a while: the receipt of an answer is written behind it. */
async function quietStats(store: Store): Promise<StoreStats> {
  let last = store.stats();
  let same = 0;
  await waitUntil(() => {
    const now = store.stats();
    same = now.queued === 0 && now.statements === last.statements ? same + 1 : 0;
    last = now;
    return same === 20;
  }, "a quiet store");
  return last;
}
