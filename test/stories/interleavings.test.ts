import { GatewayError } from "@trunkline/plugin-sdk";
import { callTool, createGate, createScriptedModel, createVirtualClock, hold, say, type ScriptStep } from "@trunkline/plugin-sdk/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createFakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeConfig } from "../../packages/core/src/fake-config.ts";
import { NEW_YEAR } from "../../packages/core/src/fake-message.ts";
import { waitUntil } from "../support/wait.ts";
import { spineRig } from "./spine-rig.ts";

/** One piece of a turn: words that are said, a tool that sends, or a pause in which previews and blocks have time. */
type Piece =
  | { readonly do: "say"; readonly sentences: number }
  | { readonly do: "send" }
  | { readonly do: "look-up" }
  | { readonly do: "pause"; readonly ms: number };

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const), sentences: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: "send" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "look-up" as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: fc.integer({ min: 100, max: 2500 }) }) },
);

const story = fc.record({
  streaming: fc.constantFrom("off" as const, "partial" as const, "block" as const),
  preview: fc.constantFrom("none" as const, "draft" as const, "edit" as const),
  pieces: fc.array(piece, { minLength: 1, maxLength: 9 }),
  /** The send that fails once, and arrives at the second try. */
  failing: fc.integer({ min: 0, max: 4 }),
  /** The final answer repeats what a tool had sent. */
  repeats: fc.boolean(),
  stopAt: fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined, freq: 4 }),
});

/** Words in the order in which they were seen; white space is the channel's. */
const words = (texts: readonly string[]): readonly string[] => texts.join(" ").split(/\s+/).filter(Boolean);

it("what people see, in order, is what was said, once, however its pieces come", { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ streaming, preview, pieces, failing, repeats, stopAt }) => {
      const clock = createVirtualClock(NEW_YEAR);
      const fake = createFakeChannel({ capabilities: { preview, edit: true } });
      const model = createScriptedModel();
      const rig = await spineRig({ clock, fake, model, config: fakeConfig({ account: { streaming } }) });
      // Every word is another one, so that a lost, doubled or moved one shows.
      let n = 0;
      const sentence = (): string => `w${(n += 1)} w${(n += 1)} w${(n += 1)} and-so-on-${n} it-goes-${n}. `;
      const said: string[] = [];
      const sent: string[] = [];
      const gates: { readonly gate: ReturnType<typeof createGate>; readonly ms: number }[] = [];
      const calls: ScriptStep[][] = [[]];
      for (const [at, one] of pieces.entries()) {
        const steps = calls.at(-1)!;
        if (one.do === "say") {
          const text = `${Array.from({ length: one.sentences }, sentence).join("")}\n\n`;
          said.push(text);
          steps.push(say(text));
        } else if (one.do === "pause") {
          const gate = createGate();
          gates.push({ gate, ms: one.ms });
          steps.push(hold(gate));
        } else if (one.do === "send") {
          const content = sentence().trim();
          sent.push(content);
          steps.push(callTool("message", { action: "send", content }, `call${at}`));
          calls.push([]);
        } else {
          steps.push(callTool("now", {}, `call${at}`));
          calls.push([]);
        }
      }
      const again = repeats && sent.length > 0 ? sent.at(-1)! : sentence();
      if (again !== sent.at(-1)) said.push(again);
      calls.push([...calls.pop()!, ...(again === sent.at(-1) && calls.at(-1) !== undefined ? [] : [say(again)])]);
      for (const steps of calls) model.next(...steps);
      fake.next(...Array.from({ length: failing }, () => ({})), { error: new GatewayError("DELIVERY_RETRY", { detail: {} }) });

      const stops = stopAt !== undefined && stopAt < gates.length;
      await rig.hears({ id: "m1" });
      for (const [index, { gate, ms }] of gates.entries()) {
        await gate.reached;
        await clock.advance(ms);
        if (index === stopAt) {
          await rig.hears({ id: "m2", text: "/stop" });
          break;
        }
        gate.open();
      }
      await waitUntil(async () => {
        await clock.advance(500);
        return (await rig.pipeline.counts()).messages.open === 0 && (await rig.pipeline.counts()).openParts === 0;
      }, "the turn is over");
      await rig.rests();
      const seen = words(fake.texts().filter((text) => !/^(?:Stopped|Nothing was running)/.test(text)));
      const spoken = words(said);
      const own = seen.filter((word) => spoken.includes(word));
      expect(new Set(seen).size, "nothing is seen twice").toBe(seen.length);
      expect(own, "in order").toEqual(spoken.filter((word) => own.includes(word)));
      if (!stops) expect(seen.toSorted()).toEqual([...spoken, ...words(sent)].toSorted());
      await rig.stop();
    }),
    { numRuns: 90, seed: 7 },
  );
});
