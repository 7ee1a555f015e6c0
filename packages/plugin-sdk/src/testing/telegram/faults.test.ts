import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { createTelegramEmulator, type TelegramEmulator } from "./emulator.ts";

let emulator: TelegramEmulator;

beforeEach(async () => {
  emulator = await createTelegramEmulator({ seed: 7 });
  emulator.privateChat({ userId: 42 });
  emulator.privateChat({ userId: 43 });
});
afterEach(() => emulator.close());

/** The answer of a call, or "broken" when the connection ended without one. */
async function call(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown> | "broken"> {
  try {
    const response = await fetch(`${emulator.apiRoot}/bot${emulator.token}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    return (await response.json()) as Record<string, unknown>;
  } catch {
    return "broken";
  }
}

const send = (text: string, chatId = 42) => call("sendMessage", { chat_id: chatId, text });
const visible = () => emulator.audit.visible().map((message) => message.text);

describe("faults", () => {
  it("429 asks to wait and sends nothing", async () => {
    const fault = emulator.faults.add({ kind: "429", retryAfter: 3, times: 1 });
    expect(await send("a")).toEqual({
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 3",
      parameters: { retry_after: 3 },
    });
    expect(await send("b")).toMatchObject({ ok: true });
    expect(visible()).toEqual(["b"]);
    expect(fault.count).toBe(1);
  });

  it.each<["5xx-before" | "5xx-after", number, string[]]>([
    ["5xx-before", 502, []],
    ["5xx-before", 500, []],
    ["5xx-after", 502, ["a"]],
  ])("%s answers %i and leaves %j", async (kind, code, left) => {
    emulator.faults.add({ kind, code, times: 1, method: "sendMessage" });
    expect(await send("a")).toMatchObject({ ok: false, error_code: code });
    expect(visible()).toEqual(left);
    expect(emulator.audit.calls()).toMatchObject([{ outcome: { kind: "refused", code, effect: left.length > 0 } }]);
  });

  it.each<["lost-request" | "lost-response", string[]]>([
    ["lost-request", []],
    ["lost-response", ["a"]],
  ])("%s breaks the connection and leaves %j", async (kind, left) => {
    emulator.faults.add({ kind, times: 1 });
    expect(await send("a")).toBe("broken");
    expect(visible()).toEqual(left);
    expect(emulator.audit.calls()).toMatchObject([{ outcome: { kind: "lost", effect: left.length > 0 } }]);
  });

  it("slow answers late", async () => {
    emulator.faults.add({ kind: "slow", delayMs: 60, times: 1 });
    const started = performance.now();
    expect(await send("a")).toMatchObject({ ok: true });
    expect(performance.now() - started).toBeGreaterThanOrEqual(55);
  });

  it("hold-after shows the message and keeps the answer back", async () => {
    const seen: (string | undefined)[] = [];
    const fault = emulator.faults.add({
      kind: "hold-after",
      method: "sendMessage",
      times: 1,
      onHold: (held) => seen.push(held.message?.text),
    });
    const answer = send("a");
    const held = await fault.held();
    expect(held).toMatchObject({ method: "sendMessage", chatId: 42, message: { text: "a", message_id: 1 } });
    expect(visible()).toEqual(["a"]);
    expect(seen).toEqual(["a"]);
    held.release();
    expect(await answer).toMatchObject({ ok: true });
  });

  it("hold-before keeps the effect back, and a caller that dies meanwhile never sent", async () => {
    const fault = emulator.faults.add({ kind: "hold-before", method: "sendMessage" });
    const first = send("a");
    (await fault.held()).release();
    expect(await first).toMatchObject({ ok: true });
    const caller = new AbortController();
    const second = fetch(`${emulator.apiRoot}/bot${emulator.token}/sendMessage?chat_id=42&text=b`, { signal: caller.signal }).catch(
      () => "dead",
    );
    await fault.held();
    caller.abort();
    expect(await second).toBe("dead");
    await emulator.waitFor((audit) => audit.calls().length === 2);
    expect(visible()).toEqual(["a"]);
    expect(emulator.audit.calls()[1]).toMatchObject({ outcome: { kind: "lost", effect: false } });
  });

  it("hold-after of a caller that dies is lost after its effect", async () => {
    const fault = emulator.faults.add({ kind: "hold-after", times: 1 });
    const caller = new AbortController();
    const sent = fetch(`${emulator.apiRoot}/bot${emulator.token}/sendMessage?chat_id=42&text=b`, { signal: caller.signal }).catch(
      () => "dead",
    );
    await fault.held();
    caller.abort();
    expect(await sent).toBe("dead");
    await emulator.waitFor((audit) => audit.calls()[0]?.outcome.kind === "lost");
    expect(emulator.audit.calls()).toMatchObject([{ outcome: { kind: "lost", effect: true } }]);
    expect(visible()).toEqual(["b"]);
  });

  it("that come after the effect do not hit refused calls", async () => {
    const fault = emulator.faults.add({ kind: "lost-response", times: 1 });
    expect(await send("")).toMatchObject({ error_code: 400 });
    expect(fault.count).toBe(0);
    expect(await send("a")).toBe("broken");
    expect(fault.count).toBe(1);
  });

  it("hit only their method and chat, and can be taken back", async () => {
    const fault = emulator.faults.add({ kind: "5xx-before", method: "SendMessage", chatId: 43 });
    expect(await send("a", 42)).toMatchObject({ ok: true });
    expect(await call("getMe")).toMatchObject({ ok: true });
    expect(await send("b", 43)).toMatchObject({ ok: false });
    fault.remove();
    expect(await send("c", 43)).toMatchObject({ ok: true });
  });

  it("by share are the same for the same seed", async () => {
    const outcomes = async () => {
      const other = await createTelegramEmulator({ seed: 7 });
      other.privateChat({ userId: 42 });
      other.faults.add({ kind: "429", probability: 0.3 });
      for (let index = 0; index < 40; index += 1) await fetch(`${other.apiRoot}/bot${other.token}/sendMessage?chat_id=42&text=${index}`);
      await other.close();
      return other.audit
        .calls()
        .map((entry) => entry.outcome.kind)
        .join();
    };
    const first = await outcomes();
    expect(await outcomes()).toBe(first);
    const hits = first.split("refused").length - 1;
    expect(hits).toBeGreaterThan(3);
    expect(hits).toBeLessThan(25);
  });

  it("duplicate-updates returns one update too many", async () => {
    const chat = emulator.privateChat({ userId: 42 });
    const fault = emulator.faults.add({ kind: "duplicate-updates", times: 1 });
    expect(await call("getUpdates")).toEqual({ ok: true, result: [] });
    emulator.send(chat, 42, { text: "a" });
    emulator.send(chat, 42, { text: "b" });
    const { result } = (await call("getUpdates")) as { result: { update_id: number }[] };
    expect(result).toHaveLength(3);
    expect(new Set(result.map((update) => update.update_id)).size).toBe(2);
    expect(fault.count).toBe(1);
    expect((await call("getUpdates")) as object).toMatchObject({ result: [{}, {}] });
  });

  it("duplicate-updates may bring back a confirmed one", async () => {
    const chat = emulator.privateChat({ userId: 42 });
    for (let index = 0; index < 20; index += 1) emulator.send(chat, 42, { text: "old" });
    const { updateId } = emulator.send(chat, 42, { text: "new" });
    emulator.faults.add({ kind: "duplicate-updates" });
    const { result } = (await call("getUpdates", { offset: updateId })) as { result: { update_id: number }[] };
    expect(result.map((update) => update.update_id <= (updateId ?? 0))).toEqual([true, true]);
  });
});

describe("rate limits", () => {
  it("answer 429 per chat and over all chats", async () => {
    await emulator.close();
    let now = 1_790_000_000_000;
    emulator = await createTelegramEmulator({ clock: { ...systemClock, now: () => now }, limits: { perChatPerSecond: 1, global: 2 } });
    for (const userId of [42, 43, 44]) emulator.privateChat({ userId });
    expect(await send("a", 42)).toMatchObject({ ok: true });
    expect(await send("b", 42)).toMatchObject({ error_code: 429, parameters: { retry_after: 1 } });
    expect(await send("c", 43)).toMatchObject({ ok: true });
    expect(await send("d", 44)).toMatchObject({ error_code: 429 });
    now += 1000;
    expect(await send("e", 42)).toMatchObject({ ok: true });
    expect(await call("sendChatAction", { chat_id: 42, action: "typing" })).toMatchObject({ ok: true });
    emulator.setLimits({});
    expect(await send("f", 42)).toMatchObject({ ok: true });
  });
});

describe("outages", () => {
  it("break waiting polls and calls, and keep the state and the port", async () => {
    const root = emulator.apiRoot;
    emulator.send(emulator.privateChat({ userId: 42 }), 42, { text: "before" });
    await send("answer");
    const fault = emulator.faults.add({ kind: "hold-after", times: 1 });
    const held = send("held");
    await fault.held();
    await emulator.restart();
    expect(await held).toBe("broken");
    expect(emulator.apiRoot).toBe(root);
    expect(await call("getUpdates")).toMatchObject({ result: [{ message: { text: "before" } }] });
    expect(visible()).toEqual(["before", "answer", "held"]);
  });

  it("refuse connections until they end", async () => {
    await emulator.stop();
    await emulator.stop();
    expect(await call("getMe")).toBe("broken");
    await emulator.start();
    expect(await call("getMe")).toMatchObject({ ok: true });
  });

  it("do not hide a taken port", async () => {
    const port = Number(new URL(emulator.apiRoot).port);
    await expect(createTelegramEmulator({ port })).rejects.toThrow("EADDRINUSE");
  });
});

describe("waitFor", () => {
  it("resolves when what it waits for is seen", async () => {
    const seen = emulator.waitFor((audit) => audit.visibleFromBot()[0]);
    await send("hello");
    expect(await seen).toMatchObject({ text: "hello", from: "bot" });
  });

  it("rejects after its time with what was seen", async () => {
    await send("hello");
    await expect(emulator.waitFor(() => false, { timeoutMs: 20 })).rejects.toThrow(
      /Not seen within 20 ms. Visible: 1 messages, 1 of the bot/,
    );
  });

  it("passes on what the predicate throws", async () => {
    await expect(emulator.waitFor(() => expect(1).toBe(2) as never)).rejects.toThrow();
  });
});
