import { GatewayError, type ErrorCode } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { type Credential, createCredentials } from "./credentials.ts";

const NONE: ReadonlySet<Credential> = new Set();
const failure = (code: ErrorCode, retryAfterMs?: number): GatewayError =>
  new GatewayError(code, retryAfterMs === undefined ? {} : { retryAfterMs });

function setUp(keys: readonly string[] = ["k1", "k2"]) {
  const clock = createVirtualClock();
  const credentials = createCredentials(keys, clock);
  return { clock, credentials, key: (model = "m") => credentials.take(model, NONE)?.key };
}

describe("the keys of a provider", () => {
  it("are used in order, and the next one when the first rests", () => {
    const { credentials, key } = setUp();
    expect(key()).toBe("k1");
    credentials.failed(credentials.take("m", NONE)!, "m", failure("MODEL_RATE_LIMITED"));
    expect(key()).toBe("k2");
    expect(key("another model")).toBe("k1");
  });

  it("rest twice as long each time in a row, up to a limit, and an answer ends it", async () => {
    const { clock, credentials, key } = setUp(["k1"]);
    const one = credentials.take("m", NONE)!;
    const rests: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      rests.push(credentials.failed(one, "m", failure("MODEL_RATE_LIMITED")));
      expect(key()).toBeUndefined();
      await clock.advance(rests.at(-1) ?? 0);
      expect(key()).toBe("k1");
    }
    expect(rests.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(rests.at(-1)).toBe(600_000);
    credentials.answered(one, "m");
    expect(credentials.failed(one, "m", failure("MODEL_RATE_LIMITED"))).toBe(1000);
  });

  it("rest as long as the provider asks", async () => {
    const { clock, credentials, key } = setUp(["k1"]);
    credentials.failed(credentials.take("m", NONE)!, "m", failure("MODEL_RATE_LIMITED", 7000));
    expect(credentials.waiting("m")).toEqual({ ms: 7000, code: "MODEL_RATE_LIMITED" });
    await clock.advance(6900);
    expect(key()).toBeUndefined();
    await clock.advance(100);
    expect(key()).toBe("k1");
    expect(credentials.waiting("m")).toBeUndefined();
  });

  it("count calls that fail together as one failure", () => {
    const { credentials } = setUp(["k1"]);
    const one = credentials.take("m", NONE)!;
    for (let n = 0; n < 50; n += 1) credentials.failed(one, "m", failure("MODEL_RATE_LIMITED"));
    expect(credentials.waiting("m")?.ms).toBe(1000);
  });

  it("rest longer when they were refused, and longest when the account is empty", () => {
    const { credentials } = setUp();
    const [auth, billing] = [credentials.take("m", NONE)!, credentials.take("m", new Set([credentials.take("m", NONE)!]))!];
    expect(credentials.failed(auth, "m", failure("MODEL_AUTH"))).toBe(60_000);
    expect(credentials.failed(billing, "m", failure("MODEL_BILLING"))).toBe(300_000);
    expect(credentials.waiting("m")).toEqual({ ms: 60_000, code: "MODEL_AUTH" });
  });

  it("go on through a few failures of the server, and not through many", () => {
    const { credentials } = setUp(["k1"]);
    const one = credentials.take("m", NONE)!;
    const rests = Array.from({ length: 4 }, () => credentials.failed(one, "m", failure("MODEL_NETWORK")));
    expect(rests).toEqual([0, 0, 0, 1000]);
  });

  it.each(["MODEL_BAD_REQUEST", "MODEL_CONTEXT_OVERFLOW", "MODEL_REFUSED", "MODEL_UNKNOWN"] as const)("do not rest for %s", (code) => {
    const { credentials, key } = setUp(["k1"]);
    expect(credentials.failed(credentials.take("m", NONE)!, "m", failure(code))).toBe(0);
    expect(key()).toBe("k1");
  });

  it("are trimmed and counted once; without any there is the empty one", () => {
    expect(createCredentials([" k1\n", "", "k1"], createVirtualClock()).take("m", NONE)).toEqual({ key: "k1", label: "key 1 of 1" });
    expect(createCredentials([], createVirtualClock()).take("m", NONE)).toEqual({ key: "", label: "no key" });
  });
});
