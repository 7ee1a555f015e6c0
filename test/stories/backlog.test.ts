import { createGate, hold, say } from "@trunkline/plugin-sdk/testing";
import { expect, it } from "vitest";
import { spineRig } from "./spine-rig.ts";

const HOUR = 60 * 60 * 1000;

it("ends at a start what became too old meanwhile; what was begun, and what is recent, is answered", async () => {
  const first = await spineRig();
  const gate = createGate();
  first.model.next(hold(gate), say("never said"));
  const begun = await first.hears({ text: "begun" });
  await gate.reached;
  const waiting = await first.hears({ text: "waits behind it" });
  await first.stop();

  await first.clock.advance(7 * HOUR);
  const recent = { text: "recent", sentAt: first.clock.now() - 5 * HOUR };
  const second = await spineRig({ folder: first.folder, clock: first.clock, seed: 2 });
  const accepted = await second.hears(recent);
  await second.rests();
  expect(second.fake.texts()).toEqual(["echo: begun", "echo: recent"]);
  const stale = await second.explain(waiting.id);
  expect(stale).toMatchObject({ disposition: "stale" });
  expect(stale.decisions.at(-1)).toMatchObject({ stage: "age", code: "stale", path: "messages.maxInboundAge" });
  expect([(await second.explain(begun.id)).disposition, (await second.explain(accepted.id)).disposition]).toEqual(["replied", "replied"]);
});
