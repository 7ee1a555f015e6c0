import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "./error-codes.ts";
import { describeError, GatewayError, isGatewayError, toGatewayError } from "./errors.ts";

describe("the one error class", () => {
  it("fills the table's sentence and next step from the detail", () => {
    const error = new GatewayError("GATEWAY_PORT_BUSY", { detail: { host: "127.0.0.1", port: 80 } });
    expect(error.message).toBe("The port 80 on 127.0.0.1 is in use.");
    expect(error).toMatchObject({ code: "GATEWAY_PORT_BUSY", retryable: false, retryAfterMs: undefined, name: "GatewayError" });
    expect(new GatewayError("PLUGIN_API_VERSION", { detail: { plugin: "p" } }).message).toContain("{wanted}");
  });

  it("leaves a variable of the configuration in a hint as it is written", () => {
    expect(new GatewayError("CONFIG_VARIABLE_MISSING", { detail: { name: "TOKEN", VAR: "x" } })).toMatchObject({
      message: "The environment variable TOKEN is not set.",
      hint: "Set it, or write ${VAR:-default} in the configuration.",
    });
  });

  it("takes a better hint, a cause, and what is known about trying again", () => {
    const cause = new Error("inner");
    expect(new GatewayError("DELIVERY_RETRY", { hint: "Wait.", cause, retryable: true, retryAfterMs: 5 })).toMatchObject({
      hint: "Wait.",
      cause,
      retryable: true,
      retryAfterMs: 5,
    });
  });

  it("is recognised by code", () => {
    const error = new GatewayError("STORE_FULL");
    expect([
      isGatewayError(error),
      isGatewayError(error, "STORE_FULL"),
      isGatewayError(error, "STORE_FAILED"),
      isGatewayError(new Error("x")),
    ]).toEqual([true, true, false, false]);
  });

  it("wraps what is none, and passes on what is one", () => {
    const own = new GatewayError("STORE_FULL");
    const other = new TypeError("x");
    expect(toGatewayError(own, "STORE_FAILED")).toBe(own);
    expect(toGatewayError(other, "TOOL_FAILED", { tool: "now" })).toMatchObject({
      code: "TOOL_FAILED",
      message: "The tool now failed.",
      cause: other,
    });
    expect(toGatewayError("text")).toMatchObject({ code: "GATEWAY_BUG", cause: "text" });
  });

  it("has a full sentence and a next step for every code", () => {
    for (const [code, [message, hint]] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^(?:CONFIG|PLUGIN|CHANNEL|MODEL|TOOL|DELIVERY|STORE|ACCESS|GATEWAY)_[A-Z_]+$/);
      for (const text of [message, hint]) expect(text, code).toMatch(/^\S.*[.`]$/);
    }
  });
});

describe("describing an error for the log", () => {
  it("is one line with the causes", () => {
    const error = new GatewayError("STORE_FAILED", { cause: new TypeError("a\nb", { cause: "root" }) });
    expect(describeError(error)).toBe("STORE_FAILED: The store failed. (cause: TypeError: a b (cause: root))");
    expect(describeError(new Error("outer", { cause: new Error("inner") }))).toBe("Error: outer (cause: Error: inner)");
    expect(describeError(undefined)).toBe("undefined");
  });

  it("is bounded, also when causes form a circle", () => {
    const circle = new Error("around");
    circle.cause = circle;
    expect(describeError(circle).length).toBeLessThan(200);
    expect(describeError(new Error("x".repeat(5000)))).toHaveLength(1000);
  });
});
