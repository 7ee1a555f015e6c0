import { GatewayError } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { sqliteCode, toSqliteError } from "./failure.ts";

const withCode = (fields: object, message = "m") => Object.assign(new Error(message), fields);

describe("an error of a database", () => {
  it.each([
    [withCode({ errcode: 13 }), "STORE_FULL", true],
    [withCode({ errcode: 8 }), "STORE_UNAVAILABLE", true],
    // 1032 = READONLY_DBMOVED: the low byte is the primary code.
    [withCode({ errcode: 1032 }), "STORE_UNAVAILABLE", true],
    [withCode({ errcode: 11 }), "STORE_CORRUPT", false],
    [withCode({ errcode: 26 }), "STORE_CORRUPT", false],
    [withCode({ errcode: 1555 }), "STORE_FAILED", false],
    [withCode({ code: "ENOSPC" }), "STORE_FULL", true],
    [withCode({ code: "EROFS" }), "STORE_UNAVAILABLE", true],
    [withCode({ code: "ERR_SQLITE_ERROR" }, "database or disk is full"), "STORE_FULL", true],
    [withCode({ code: "ERR_SQLITE_ERROR" }, "attempt to write a readonly database"), "STORE_UNAVAILABLE", true],
    [withCode({ code: "ERR_SQLITE_ERROR" }, "database disk image is malformed"), "STORE_CORRUPT", false],
    [withCode({ code: "ERR_SQLITE_ERROR" }, "UNIQUE constraint failed: t.a"), "STORE_FAILED", false],
    ["a string", "STORE_FAILED", false],
  ])("of SQLite means what its code says, or its text where the driver gives no code (%s)", (error, code, retryable) => {
    expect(toSqliteError(error, "/data/trunkline.db")).toMatchObject({
      code,
      retryable,
      detail: { path: "/data/trunkline.db" },
      cause: error,
    });
  });

  it("that is explained already stays as it is", () => {
    const known = new GatewayError("STORE_LOCKED");
    expect(toSqliteError(known, "x")).toBe(known);
  });

  it("has no SQLite code when it is something else", () => {
    expect(sqliteCode(new TypeError("x"))).toBeUndefined();
    expect(sqliteCode(undefined)).toBeUndefined();
  });
});
