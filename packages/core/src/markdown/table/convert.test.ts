import { describe, expect, it } from "vitest";
import { convertMarkdownTables } from "./convert.ts";

const TABLE = "| Name | Age |\n|---|---|\n| Ann | 5 |\n| **Bob** | [7](https://e.example) |";

describe("convertMarkdownTables", () => {
  it("returns the input when the mode is off or native", () => {
    expect(convertMarkdownTables(TABLE, "off")).toBe(TABLE);
    expect(convertMarkdownTables(TABLE, "native")).toBe(TABLE);
  });

  it("leaves everything around a table byte for byte", () => {
    const before = "*it* __b__  \r\n\r\n";
    const after = "\r\n\r\n\r\n* x\t|\r\n";
    expect(convertMarkdownTables(`${before}| A |\r\n|---|\r\n| 1 |${after}`, "bullets")).toBe(`${before}• A: 1${after}`);
  });

  it("makes a fenced grid without outer pipes", () => {
    expect(convertMarkdownTables("| A | B |\n|---|--:|\n| 1 | `x` |", "code")).toBe("```\nA   |   B\n----|----\n1   |   x\n```");
  });

  it("makes lists that keep the markup of cells", () => {
    expect(convertMarkdownTables(TABLE, "bullets")).toBe("**Ann**\n• Age: 5\n\n**Bob**\n• Age: [7](https://e.example)");
  });

  it("loses no table: one column, headers alone, two tables", () => {
    expect(convertMarkdownTables("| T |\n|---|\n| a |\n| b |", "bullets")).toBe("• T: a\n• T: b");
    expect(convertMarkdownTables("| A | B |\n|---|---|", "bullets")).toBe("**A**\n• B");
    expect(convertMarkdownTables("| A | B |\n|---|---|\n| 1 | 2 |\n\n| C | D |\n|---|---|\n| 3 | 4 |", "bullets")).toBe(
      "**1**\n• B: 2\n\n**3**\n• D: 4",
    );
  });

  it("stays inside a quote or list", () => {
    expect(convertMarkdownTables("> | A | B |\n> |---|---|\n> | 1 | 2 |", "bullets")).toBe("> **1**\n> • B: 2");
    expect(convertMarkdownTables("- | A | B |\n  |---|---|\n  | 1 | 2 |", "code")).toBe("- ```\n  A   | B\n  ----|----\n  1   | 2\n  ```");
  });

  it("does not touch pipes in code", () => {
    const code = "```\n| A |\n|---|\n```";
    expect(convertMarkdownTables(code, "code")).toBe(code);
  });

  it("fences cells that contain a fence", () => {
    expect(convertMarkdownTables("| A |\n|---|\n| \\`\\`\\` |", "code")).toBe("````\nA\n---\n```\n````");
  });
});
