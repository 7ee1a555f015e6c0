import { describe, expect, it } from "vitest";
import { fakeAgent, fakeConfig } from "../fake-config.ts";
import { queueSettingsOf } from "./queue-settings.ts";

describe("the queue of a session", () => {
  it("is what all have, and each value names the line that chose it", () => {
    const config = fakeConfig({ agents: [fakeAgent()], messages: { queue: { mode: "collect", cap: 5 } } });
    expect(queueSettingsOf(config, "aria")).toEqual({
      mode: "collect",
      debounceMs: 1000,
      cap: 5,
      drop: "summarize",
      path: "messages.queue.mode",
      capPath: "messages.queue.cap",
    });
  });

  it("is its agent's where that says otherwise, value by value, and its own above all", () => {
    const config = fakeConfig({ agents: [{ ...fakeAgent(), queue: { cap: 3 } }], messages: { queue: { mode: "collect", cap: 5 } } });
    const id = config.agents.list[0]!.id;
    expect(queueSettingsOf(config, id)).toMatchObject({ cap: 3, path: "messages.queue.mode", capPath: "agents.list.0.queue.cap" });
    expect(queueSettingsOf(config, id, { mode: "steer", cap: 2 })).toMatchObject({
      mode: "steer",
      cap: 2,
      path: undefined,
      capPath: undefined,
    });
  });
});
