import { describe, expect, it } from "vitest";
import { normalizeUpdate } from "../inbound.ts";

const me = { id: "99", username: "my_bot" };
const ann = { id: 7, is_bot: false, first_name: "Ann", username: "ann" };
const update = (over: object): unknown => ({
  update_id: 5,
  message_reaction: {
    chat: { id: 7, type: "private", first_name: "Ann" },
    message_id: 42,
    user: ann,
    date: 1_767_225_600,
    old_reaction: [],
    new_reaction: [{ type: "emoji", emoji: "👍" }],
    ...over,
  },
});

describe("a reaction", () => {
  it("is an event about the message that it is on, with what was added", () => {
    const { message } = normalizeUpdate(update({}), me, "main") as Extract<ReturnType<typeof normalizeUpdate>, { kind: "message" }>;
    expect(message).toMatchObject({
      kind: "reaction",
      id: "42",
      eventId: "5",
      text: "👍",
      sender: { id: "7", name: "Ann", isBot: false, isSelf: false },
      anchor: { kind: "reaction", messageId: "42" },
      sentAt: 1_767_225_600_000,
    });
  });

  it("that was only taken away has no words", () => {
    const taken = update({ old_reaction: [{ type: "emoji", emoji: "👍" }], new_reaction: [] });
    expect(normalizeUpdate(taken, me, "main")).toMatchObject({ message: { text: "" } });
  });

  it("of a chat that writes as itself is the chat's", () => {
    const group = { id: -100, type: "supergroup", title: "Team" };
    const anonymous = update({ chat: group, user: undefined, actor_chat: group });
    expect(normalizeUpdate(anonymous, me, "main")).toMatchObject({
      message: { sender: { id: "-100", name: "Team" }, conversation: { kind: "group", id: "-100" } },
    });
  });

  it.each([{ message_id: "x" }, { user: undefined }, { new_reaction: 7 }])("of an unknown shape is unreadable: %j", (over) => {
    expect(normalizeUpdate(update(over), me, "main").kind).toBe("unreadable");
  });
});
