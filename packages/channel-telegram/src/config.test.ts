import { describe, expect, it } from "vitest";
import { telegramConfigSchema } from "./config.ts";

const parse = (value: unknown) => telegramConfigSchema.safeParse(value);
const complaint = (value: unknown): string =>
  parse(value)
    .error?.issues.map(({ message }) => message)
    .join("; ") ?? "";

describe("the configuration of a Telegram account", () => {
  it("needs only a token, and polls", () => {
    expect(parse({ token: "123:abc_DEF-4" }).data).toEqual({ token: "123:abc_DEF-4", mode: "polling" });
  });

  it("takes entities or html as the form of styles", () => {
    expect(parse({ token: "1:a", format: "html" }).data?.format).toBe("html");
    expect(complaint({ token: "1:a", format: "markdown" })).toContain("entities");
  });

  it("takes the slash from the end of apiRoot, which the client would refuse", () => {
    expect(parse({ token: "1:a", apiRoot: "http://127.0.0.1:8081/" }).data?.apiRoot).toBe("http://127.0.0.1:8081");
  });

  it("says that webhooks are not available yet", () => {
    expect(complaint({ token: "1:a", mode: "webhook" })).toMatch(/webhook.*not available yet/);
  });

  it("explains what a token looks like without repeating the wrong one", () => {
    expect(complaint({ token: "not/a-token" })).toMatch(/BotFather/);
    expect(complaint({ token: "not/a-token" })).not.toContain("not/a-token");
    expect(complaint({})).toMatch(/missing.*BotFather/);
  });

  it("refuses unknown keys and addresses that are not http", () => {
    expect(complaint({ token: "1:a", tokn: "x" })).toContain("tokn");
    expect(complaint({ token: "1:a", apiRoot: "file:///etc/passwd" })).toMatch(/http/);
  });

  it("can write itself as JSON Schema for editors", () => {
    const schema = telegramConfigSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    expect(schema).toMatchObject({ type: "object", required: ["token"], additionalProperties: false });
  });
});
