import { GatewayError } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { isConnectionLost, toPostgresError } from "./postgres-failure.ts";

const withCode = (fields: object, message = "m") => Object.assign(new Error(message), fields);
const at = { name: "postgres://db/trunkline", user: "ann", database: "trunkline" };

describe("an error of PostgreSQL", () => {
  it.each([
    [withCode({ code: "53100" }), "STORE_FULL", false],
    [withCode({ code: "53300" }), "STORE_UNREACHABLE", true],
    [withCode({ code: "28P01" }), "STORE_REFUSED", false],
    [withCode({ code: "3D000" }), "STORE_REFUSED", false],
    [withCode({ code: "42501" }), "STORE_REFUSED", false],
    [withCode({ code: "25006" }), "STORE_REFUSED", false],
    [withCode({ code: "57P01" }), "STORE_UNREACHABLE", true],
    [withCode({ code: "57P03" }), "STORE_UNREACHABLE", true],
    [withCode({ code: "XX001" }), "STORE_CORRUPT", false],
    [withCode({ code: "ECONNREFUSED" }), "STORE_UNREACHABLE", true],
    [new AggregateError([withCode({ code: "ECONNREFUSED" }, "connect ECONNREFUSED ::1:5432")], ""), "STORE_UNREACHABLE", true],
    [withCode({ code: "ENOTFOUND" }), "STORE_UNREACHABLE", true],
    [withCode({}, "Connection terminated unexpectedly"), "STORE_UNREACHABLE", true],
    [withCode({}, "Query read timeout"), "STORE_UNREACHABLE", true],
    [withCode({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "self-signed certificate"), "STORE_TLS", true],
    [withCode({ code: "CERT_HAS_EXPIRED" }, "certificate has expired"), "STORE_TLS", true],
    [withCode({ code: "ERR_TLS_CERT_ALTNAME_INVALID" }), "STORE_TLS", true],
    [withCode({}, "The server does not support SSL connections"), "STORE_TLS", true],
    [withCode({ code: "23505" }), "STORE_FAILED", false],
    ["a string", "STORE_FAILED", false],
  ])("means what its code says, or the driver's sentence where there is none (%s)", (error, code, lost) => {
    const meant = toPostgresError(error, at);
    expect(meant).toMatchObject({ code, cause: error, detail: { path: at.name } });
    expect(isConnectionLost(meant)).toBe(lost);
    expect(isConnectionLost(error)).toBe(lost);
  });

  it("says what the server said, and what to do with the names of this database", () => {
    const missing = toPostgresError(withCode({ code: "3D000" }, 'database "trunkline" does not exist'), at);
    expect(missing.message).toBe('PostgreSQL refuses postgres://db/trunkline: database "trunkline" does not exist.');
    expect(missing.hint).toContain("create database trunkline encoding");
    expect(toPostgresError(withCode({ code: "42501" }), at).hint).toContain("grant create on database trunkline to ann");
  });

  it("that is explained already stays as it is", () => {
    const known = new GatewayError("STORE_LOCKED");
    expect(toPostgresError(known, at)).toBe(known);
  });
});
