import { describe, expect, it } from "vitest";
import type { AccessSecrets } from "./access-secrets.ts";
import { COOKIE_LIFE_S, openIdentity, openReturning, sealIdentity, sealReturning, setCookie, setReturning } from "./session-cookie.ts";

const secrets: AccessSecrets = { tokens: { chat: "c".repeat(43), admin: "a".repeat(43) }, cookieKey: "k".repeat(43), fresh: false };
const visitor = "0123456789abcdef0123456789abcdef";
const now = 1_800_000_000_000;
const sealed = sealIdentity({ role: "chat", visitor }, secrets, now);

describe("the session cookie", () => {
  it("gives back whom it was made for", () => {
    expect(openIdentity(sealed, secrets, now + 1000)).toEqual({ role: "chat", visitor });
  });

  it("cannot be turned into another role, visitor or date", () => {
    expect(openIdentity(sealed.replace(".chat.", ".admin."), secrets, now)).toBeUndefined();
    expect(openIdentity(sealed.replace(visitor, visitor.replace("0", "1")), secrets, now)).toBeUndefined();
    expect(openIdentity(sealed.replace("1800000000", "1900000000"), secrets, now)).toBeUndefined();
    expect(openIdentity(sealed.slice(0, -1), secrets, now)).toBeUndefined();
    for (const junk of [undefined, "", "v1", "v1.chat..0.", "..."]) expect(openIdentity(junk, secrets, now)).toBeUndefined();
  });

  it("ends after a year", () => {
    expect(openIdentity(sealed, secrets, now + COOKIE_LIFE_S * 1000)).toBeDefined();
    expect(openIdentity(sealed, secrets, now + COOKIE_LIFE_S * 1000 + 1000)).toBeUndefined();
  });

  it("ends when the token of its role is replaced, and only then", () => {
    expect(openIdentity(sealed, { ...secrets, tokens: { ...secrets.tokens, chat: "n".repeat(43) } }, now)).toBeUndefined();
    expect(openIdentity(sealed, { ...secrets, tokens: { ...secrets.tokens, admin: "n".repeat(43) } }, now)).toBeDefined();
  });

  it("is out of reach for scripts and other sites, and is sent over TLS alone where there is TLS", () => {
    expect(setCookie(8080, "x", false)).toBe("trunkline_8080=x; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict");
    expect(setCookie(8080, "x", true)).toMatch(/; Secure$/);
  });
});

describe("the cookie of a returning visitor", () => {
  const returning = sealReturning({ role: "chat", visitor }, secrets, now);

  it("is no session, as a session is none of it", () => {
    expect(openReturning(returning, "chat", secrets, now)).toEqual({ role: "chat", visitor });
    expect(openIdentity(returning, secrets, now)).toBeUndefined();
    expect(openIdentity(returning.replace("r1.", "v1."), secrets, now)).toBeUndefined();
    expect(openReturning(sealed, "chat", secrets, now)).toBeUndefined();
    expect(openReturning(sealed.replace("v1.", "r1."), "chat", secrets, now)).toBeUndefined();
  });

  it("is good for its own role, for a year, and is sent to where one signs in alone", () => {
    expect(openReturning(returning, "admin", secrets, now)).toBeUndefined();
    expect(openReturning(returning.replace(".chat.", ".admin."), "admin", secrets, now)).toBeUndefined();
    expect(openReturning(returning, "chat", secrets, now + COOKIE_LIFE_S * 1000 + 1000)).toBeUndefined();
    expect(setReturning(8080, "chat", "x", true)).toBe(
      "trunkline_8080_chat_visitor=x; Path=/auth/session; Max-Age=31536000; HttpOnly; SameSite=Strict; Secure",
    );
  });
});
