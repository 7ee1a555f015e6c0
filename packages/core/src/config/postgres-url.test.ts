import { describe, expect, it } from "vitest";
import { postgresUrlProblem, splitPostgresUrl } from "./postgres-url.ts";

describe("a PostgreSQL address", () => {
  it.each([
    ["postgres://ann:secret@db:5433/trunkline", { user: "ann", password: "secret", host: "db", port: 5433, database: "trunkline" }],
    ["postgresql://db/trunkline", { user: undefined, password: undefined, host: "db", port: undefined }],
    ["postgres://ann@[::1]:5432/t", { user: "ann", password: undefined, host: "[::1]", port: 5432 }],
    ["postgres://ann:p%40ss@db/t", { password: "p@ss" }],
    ["postgres://ann:50%off@db/t", { password: "50%off" }],
    // As they come from a variable that nobody encoded.
    ["postgres://ann:a/b#c?d@e:12@db/t", { password: "a/b#c?d@e:12", host: "db", port: undefined, database: "t" }],
    ["postgres://ann:12#34@db/t", { password: "12#34", host: "db", port: undefined }],
  ])("%s is taken apart", (url, parts) => {
    expect(splitPostgresUrl(url)).toMatchObject(parts);
    expect(postgresUrlProblem(url)).toBeUndefined();
  });

  it.each([
    ["postgres://ann:s3cret@db", "is not of the form"],
    ["postgres://ann:s3cret@db:port/t", "is not of the form"],
    ["postgres:db/t", "is not of the form"],
    ["postgres://ann:s3cret@db/", "names no database"],
    ["postgres://ann:s3cret@/t", "names no host"],
    ["postgres://ann:s3cret@db/t?schema=x", "has the unknown parameter schema"],
    ["postgres://ann:s3cret@db/t?sslmode=on", "has the unknown sslmode on"],
  ])("%s is refused without its password", (url, problem) => {
    expect(postgresUrlProblem(url)).toContain(problem);
    expect(postgresUrlProblem(url)).not.toContain("s3cret");
  });

  it("may name a folder with the server's socket instead of a host", () => {
    expect(postgresUrlProblem("postgres://ann@/t?host=/var/run/postgresql")).toBeUndefined();
  });
});
