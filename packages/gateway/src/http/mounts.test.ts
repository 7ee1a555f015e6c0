import { describe, expect, it } from "vitest";
import { createMounts } from "./mounts.ts";

const request = new Request("http://localhost/");
const says = (text: string) => async () => new Response(text);
const asked = async (mounts: ReturnType<typeof createMounts>, path: string) => (await mounts.answer(request, path, undefined))?.text();

describe("mounts", () => {
  it("ask the longest prefix first and fall back to shorter ones", async () => {
    const mounts = createMounts();
    mounts.route("/", says("root"));
    mounts.route("/web/", says("web"));
    mounts.route("/web/media", async () => undefined);
    expect(await asked(mounts, "/web/media/1")).toBe("web");
    expect(await asked(mounts, "/web")).toBe("web");
    expect(await asked(mounts, "/webcam")).toBe("root");
    expect(await asked(mounts, "/")).toBe("root");
  });

  it("answer nothing once a handler is taken away", async () => {
    const mounts = createMounts();
    const undo = mounts.route("/", says("root"));
    undo();
    expect(await asked(mounts, "/")).toBeUndefined();
  });

  it("keep the older of two handlers of one prefix in front", async () => {
    const mounts = createMounts();
    const undo = mounts.route("/", says("first"));
    mounts.route("/", says("second"));
    expect(await asked(mounts, "/")).toBe("first");
    undo();
    expect(await asked(mounts, "/")).toBe("second");
  });
});
