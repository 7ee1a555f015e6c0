import { callTool, createGate, createScriptedModel, fail, hold, say, think, end, type ScriptStep } from "@trunkline/plugin-sdk/testing";
import { it } from "vitest";
import { mkdirSync, writeFileSync, symlinkSync, appendFileSync } from "node:fs";
import { join } from "node:path";
import { createFakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeAccount, fakeAgent, fakeConfig } from "../../packages/core/src/fake-config.ts";
import { type SpineRig, spineRig } from "./spine-rig.ts";
const OUT = "/tmp/breaksh/rig.out";
const log = (...a: unknown[]) => appendFileSync(OUT, a.map((x) => (typeof x === "string" ? x : JSON.stringify(x))).join(" ") + "\n");
const seen = ({ fake }: SpineRig) =>
  fake.visible.map(
    (p: any) =>
      `${p.conversation.id}${p.conversation.threadId ? "#" + p.conversation.threadId : ""}: ${p.text?.plain ?? ""}${p.media ? " +" + JSON.stringify(p.media.fileName ?? p.media) : ""}${p.replyTo ? " ->" + JSON.stringify(p.replyTo) : ""}`,
  );
async function told(name: string, o: any, ...scripts: (readonly ScriptStep[])[]) {
  try {
    const rig = await spineRig(o);
    o?.before?.(rig);
    for (const s of scripts) rig.model.next(...s);
    const { id } = await rig.hears();
    await rig.rests();
    const e: any = await rig.explain(id);
    log("##", name, "=>", seen(rig), e.disposition, o?.prev ? rig.fake.previews.map((p: any) => p.text?.plain) : "");
    return rig;
  } catch (error: any) {
    log("##", name, "FAILED", String(error.message).slice(0, 400));
  }
}
const R = "The report is ready, all forty tables were checked.";
const msg = (a: object) => callTool("message", { action: "send", ...a });
const acct = (a: object) => ({ config: fakeConfig({ account: a as any }) });

import { GatewayError } from "@trunkline/plugin-sdk";
import { waitUntil } from "../support/wait.ts";
const squash = (t: string) => t.replace(/\s+/g, "");
async function grown(name: string, pieces: (string | "|")[], o: any = {}) {
  try {
    const fake = createFakeChannel(o.fake ?? {});
    const rig = await spineRig({ fake, config: fakeConfig({ account: { streaming: o.streaming ?? "block" } as any, ...(o.cfg ?? {}) }) });
    const gates = pieces.map(() => createGate());
    const steps: ScriptStep[] = [];
    pieces.forEach((p, i) => { steps.push(say(p)); steps.push(hold(gates[i]!)); });
    if (o.tail) steps.push(...o.tail);
    rig.model.next(...steps);
    for (const s of o.more ?? []) rig.model.next(...s);
    if (o.faults) fake.next(...o.faults);
    const { id } = await rig.hears();
    for (let i = 0; i < pieces.length; i++) {
      await gates[i]!.reached;
      await rig.clock.advance(100); await new Promise((r) => setTimeout(r, 15)); await rig.clock.advance(o.wait ?? 300); await new Promise((r) => setTimeout(r, 25));
      if (o.stopAt === i) { await rig.hears({ text: "/stop", id: "stop" }); break; }
      gates[i]!.open();
    }
    let done = false; const rest = rig.rests().then(() => (done = true), (e) => { done = true; throw e; });
    rest.catch(() => {});
    for (let k = 0; k < 400 && !done; k++) { await rig.clock.advance(500); await new Promise((r) => setTimeout(r, 5)); }
    await rest;
    const texts = fake.texts(); const all = texts.join("\n\n"); const want = o.want ?? pieces.join("");
    const e: any = await rig.explain(id);
    const same = squash(all) === squash(want);
    log("##", name, same ? "SAME" : "DIFFERENT", texts.map((t) => t.length), e.disposition, o.show || !same ? texts.map((t) => (t.length > 260 && !o.full ? t.slice(0, 130) + " …… " + t.slice(-120) : t)) : "");
    if (o.previews) log("   previews", [...fake.previews.map((p: any) => p.text?.plain), ...fake.changes.map((c) => c.op + ":" + c.text)].slice(0, 12));
    if (o.check) o.check(texts);
    return rig;
  } catch (error: any) { log("##", name, "FAILED", String(error.message).slice(0, 500)); }
}
const para = (n: number, i: number) => (`P${i} ` + "lorem ipsum dolor sit amet consectetur. ".repeat(50)).slice(0, n);
it("blocks", { timeout: 110000 }, async () => {
  const long = Array.from({ length: 8 }, (_, i) => para(500, i)).join("\n\n");
  await grown("all at once 8 paras", [long]);
  await grown("chunks of 300", long.match(/[\s\S]{1,300}/g)!);
  const nested = Array.from({ length: 12 }, (_, i) => `- item ${i} ${para(180, i)}\n\n    - nested ${i} ${para(180, i)}`).join("\n\n");
  await grown("nested list at once", [nested], { check: (t: string[]) => log("   starts", t.map((x) => x.slice(0, 30))) });
  const indent = Array.from({ length: 10 }, (_, i) => `1. step ${i}\n\n   ${para(390, i)}`).join("\n\n");
  await grown("step indent at once", [indent], { check: (t: string[]) => log("   starts", t.map((x) => x.slice(0, 30))) });
  const fence = para(700, 0) + "\n\n```py\n" + Array.from({ length: 60 }, (_, i) => `    def f${i}(self):\n        return ${i}`).join("\n\n") + "\n```\n\n" + para(700, 1) + "\n\n" + para(700, 2);
  await grown("long fence", [fence]);
  await grown("long fence chunks", fence.match(/[\s\S]{1,250}/g)!);
  await grown("same paragraph twice", [`${para(850, 1)}\n\n${para(850, 1)}\n\n${para(850, 1)}\n\nEnd.`]);
  await grown("repeat para chunks", [`${para(850, 1)}\n\n`, `${para(850, 1)}\n\n`, `${para(850, 1)}\n\nEnd.`]);
  await grown("no break", ["x".repeat(5000)]);
  await grown("CJK", ["这是一个很长的句子需要被分成几块。".repeat(200)]);
  await grown("ends silent", [`${para(900, 1)}\n\n${para(900, 2)}\n\nBye.`, "\n\nNO_REPLY"], { want: `${para(900, 1)}\n\n${para(900, 2)}\n\nBye.` });
  await grown("block then think", [`${para(900, 1)}\n\n`, `<think>${para(900, 2)}`, `\n\n${para(900, 3)}</think>Visible end.`], { want: `${para(900, 1)}Visible end.` });
  await grown("think over blocks", [`<think>${para(900, 1)}\n\n${para(900, 2)}\n\n`, `${para(900, 3)}</think>\n\n${para(900, 4)}\n\n${para(900, 5)}`], { want: `${para(900, 4)}${para(900, 5)}` });
  await grown("media in first block", [`MEDIA:./nope.png\n${para(900, 1)}\n\n${para(900, 2)}\n\nEnd.`], { want: `${para(900, 1)}(file not available)${para(900, 2)}End.` });
  await grown("reply tag in the middle", [`${para(900, 1)}\n\n[[reply_to_current]]${para(900, 2)}\n\nEnd.`], { want: `${para(900, 1)}${para(900, 2)}End.` });
  await grown("stop in the middle", [`${para(900, 1)}\n\n${para(500, 2)}`, `${para(900, 3)}`], { stopAt: 0, show: 1 });
  await grown("prefix", [`${para(900, 1)}\n\n${para(900, 2)}\n\nEnd.`], { cfg: { messages: { responsePrefix: "[{model}]" } }, want: `[one]${para(900, 1)}${para(900, 2)}End.` });
  await grown("tool then same text", [`${para(900, 1)}\n\n${para(300, 2)}`], { tail: [callTool("now")], more: [[say(`${para(900, 1)}\n\nFinal.`)]], want: `${para(900, 1)}${para(300, 2)}Final.` });
  await grown("tool send dup of block", [`${para(900, 1)}\n\n${para(300, 2)}`], { tail: [msg({ content: para(300, 2) })], more: [[say("Final words here.")]], want: `${para(900, 1)}${para(300, 2)}Final words here.` });
  await grown("model fails after block", [`${para(900, 1)}\n\n${para(300, 2)}`], { tail: [fail(new GatewayError("MODEL_OVERLOADED", { detail: { model: "one" } }))], more: [[say(`${para(900, 1)}\n\n${para(300, 2)} and more.`)]], want: `${para(900, 1)}${para(300, 2)} and more.`, show: 1 });
  await grown("length end", [`${para(900, 1)}\n\n${para(300, 2)}`], { tail: [end("length")], show: 1 });
  await grown("list items", [Array.from({ length: 40 }, (_, i) => `${i + 1}. ${para(90, i)}`).join("\n")], { check: (t: string[]) => log("   starts", t.map((x) => x.slice(0, 20))) });
  await grown("table", ["| a | b |\n|---|---|\n" + Array.from({ length: 80 }, (_, i) => `| ${i} row | value ${i} |`).join("\n") + "\n\nEnd."], { show: 1 });
  await grown("quote", [Array.from({ length: 30 }, (_, i) => `> ${para(90, i)}`).join("\n") + "\n\nEnd."]);
  await grown("json call at end", [`${para(900, 1)}\n\nok\n{"tool_`, `calls":[{"a":1}]}`], { want: `${para(900, 1)}ok` });
  await grown("off, held text order", ["I will look."], { streaming: "off", tail: [msg({ content: R })], more: [[say("That is all.")]], show: 1, want: `I will look.${R}That is all.` });
  await grown("edit preview envelope", ["Conversation info (untrusted metadata):\n```json\n{\"chat_id\":\"secret:1\",\"x\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}\n", "```\n\nHi!"], { streaming: "partial", wait: 1500, fake: { capabilities: { preview: "edit", edit: true } }, previews: 1, want: "Hi!", show: 1 });
  await grown("edit preview unopened think", ["My secret reasoning about the user is that they are wrong and so on.\n", "</think>\n\nHi!"], { streaming: "partial", wait: 1500, fake: { capabilities: { preview: "edit", edit: true } }, previews: 1, want: "Hi!", show: 1 });
  await grown("edit preview stop", ["This is the beginning of an answer that takes its time, and more of it. ", "rest"], { streaming: "partial", wait: 1500, stopAt: 0, fake: { capabilities: { preview: "edit", edit: true } }, previews: 1, show: 1 });
  await grown("edit preview silent end", ["This is the beginning of an answer that takes its time. ", "NO_REPLY"], { streaming: "partial", wait: 1500, fake: { capabilities: { preview: "edit", edit: true } }, previews: 1, show: 1, want: "This is the beginning of an answer that takes its time." });
  await grown("edit preview tool sent dup", ["x"], { streaming: "partial", tail: [msg({ content: R })], more: [[say(R)]], fake: { capabilities: { preview: "edit", edit: true } }, previews: 1, show: 1, want: `x${R}` });
  await grown("platform refuses the tool send", ["x"], { streaming: "off", faults: [{ error: new GatewayError("SEND_REJECTED" as any, { detail: {} } as any) }], tail: [msg({ content: R })], more: [[say(R)]], show: 1, want: `x${R}` });
});
