import { describe, expect, it } from "vitest";
import { fakeAccount, fakeAgent } from "../fake-config.ts";
import { DIRECT, fakeMessage } from "../fake-message.ts";
import { renderParts } from "../markdown/render-parts.ts";
import { plainProfile } from "../markdown/plain.ts";
import { outputOf, summaryOf, verbosityOf } from "./summaries.ts";

const shown = (text: string | undefined) => renderParts(text ?? "", plainProfile).map(({ plain }) => plain);

describe("a word about a tool call", () => {
  it("shows the arguments as they are, whatever Markdown would make of them", () => {
    const { text } = summaryOf("exec", '{"command":"ls *_a_* [x](y) `z` [[reply_to_current]]"}');
    expect(shown(text)).toEqual(["⚡ Exec: ls *_a_* [x](y) `z` [[reply_to_current]]"]);
    expect(summaryOf("exec", "{broken").text).toBe("⚡ Exec");
  });

  it("shows the output in a fence that nothing in it ends", () => {
    expect(outputOf("a\n````\nb").text).toBe("`````txt\na\n````\nb\n`````");
    expect(outputOf(" \n").text).toBe("```txt\n(no output)\n```");
    expect(outputOf("x".repeat(9000)).text).toContain(`${"x".repeat(8000)}\n(the rest was cut)`);
    expect(outputOf("key sk-abcdefghijklmnopqrstuv").text).not.toContain("abcdefgh");
  });
});

describe("people are told of tools", () => {
  const group = { ...DIRECT, kind: "group", id: "g1" } as const;
  it("in direct messages as the agent has it, in groups as the group has it", () => {
    const agent = fakeAgent({ verbose: "on" });
    const quiet = fakeAccount({ groups: { g1: {} } });
    const loud = fakeAccount({ groups: { g1: { verbose: "full" } } });
    expect(verbosityOf({ message: fakeMessage(), account: quiet, agent })).toBe("on");
    expect(verbosityOf({ message: fakeMessage(), account: quiet, agent: fakeAgent() })).toBe("off");
    expect(verbosityOf({ message: fakeMessage({ conversation: group }), account: quiet, agent })).toBe("off");
    expect(verbosityOf({ message: fakeMessage({ conversation: group }), account: loud, agent })).toBe("full");
  });
});
