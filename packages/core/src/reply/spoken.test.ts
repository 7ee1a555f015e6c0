import { describe, expect, it } from "vitest";
import { fakeTurnJournal } from "../journal/fake-journal.ts";
import { Spoken } from "./spoken.ts";

function rig() {
  const journal = fakeTurnJournal();
  return { spoken: new Spoken(journal), block: (text: string) => journal.takeBlock({ text }) };
}

describe("what an agent has said", () => {
  it("is all to be sent when no block was", () => {
    const { spoken } = rig();
    expect(spoken.grow("Let me ")).toBe("Let me ");
    expect(spoken.grow("see.")).toBe("Let me see.");
    expect(spoken.end("Let me see.")).toEqual({ rest: "Let me see.", message: 0 });
    expect(spoken.grow("Three")).toBe("Let me see.\n\nThree");
    expect([spoken.rest(), spoken.all(), spoken.brokeOff()]).toEqual(["Three", "Let me see.\n\nThree", true]);
  });

  it("is shown and sent without its blocks, and remembered with them", () => {
    const { spoken, block } = rig();
    spoken.grow("One.\n\nTw");
    block("One.");
    expect(spoken.grow("o.")).toBe("Two.");
    expect(spoken.all()).toBe("One.\n\nTwo.");
    expect(spoken.end("One.\n\nTwo.").rest).toBe("Two.");
    block("Three.");
    expect(spoken.end("Three.").rest).toBe("");
    expect(spoken.all()).toBe("One.\n\nTwo.\n\nThree.");
    expect(spoken.brokeOff()).toBe(false);
  });

  it("that goes on behind a block is shown without what it repeats", () => {
    const { spoken, block } = rig();
    block("It was late, and the rain fell");
    expect(spoken.brokeOff()).toBe(true);
    expect(spoken.grow("and the rain fell on")).toBe(" on");
    expect(spoken.all()).toBe("It was late, and the rain fell\n\n on");
  });
});
