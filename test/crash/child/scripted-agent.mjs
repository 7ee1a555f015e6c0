// @ts-check

/**
 * An agent that says things while it is still at work: two blocks, a tool in between, and an end.
 * @type {import("@trunkline/plugin-sdk").AgentRuntime}
 */
export const scriptedAgent = {
  async *run({ messages, journal }) {
    const asked = messages.findLast((message) => message.role === "user")?.text ?? "";
    const mark = /\bblocks (r\d+)\b/.exec(asked)?.[1] ?? "nothing";
    const block = (/** @type {number} */ n) => `Block ${n} for ${mark}.`;
    yield { type: "block", payload: { text: block(1) } };
    await journal.callTool({ id: "c1", name: "book", args: JSON.stringify({ text: mark }) });
    yield { type: "block", payload: { text: block(2) } };
    const text = [1, 2, 3].map(block).join("\n\n");
    yield { type: "message-end", text };
    yield { type: "done", messages: [{ role: "assistant", text }], usage: { inputTokens: 0, outputTokens: 0 }, model: "script/blocks" };
  },
};
