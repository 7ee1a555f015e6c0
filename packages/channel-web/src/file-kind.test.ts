import { describe, expect, it } from "vitest";
import { fileKind } from "./file-kind.ts";
import { cleanName } from "./uploading.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

describe("what a file is", () => {
  it("is known of pictures by their first bytes, whatever the browser says", () => {
    expect(fileKind(bytes("\u0089PNG\r\n\u001a\n...."), "text/html")).toEqual({ kind: "image", mimeType: "image/png" });
    expect(fileKind(bytes("\u00ff\u00d8\u00ff\u00e0"), "")).toEqual({ kind: "image", mimeType: "image/jpeg" });
    expect(fileKind(bytes("GIF89a"), "")).toEqual({ kind: "image", mimeType: "image/gif" });
    expect(fileKind(bytes("RIFF\u0000\n\u0000\u0000WEBP"), "")).toEqual({ kind: "image", mimeType: "image/webp" });
    expect(fileKind(bytes("\u0000\u0000\u0000 ftypavif"), "")).toEqual({ kind: "document", mimeType: "image/avif" });
  });

  it("is never a picture because the browser says so", () => {
    for (const type of ["image/png", "image/svg+xml", "IMAGE/JPEG"]) {
      expect(fileKind(bytes("<svg onload=alert(1)>"), type)).toEqual({ kind: "document", mimeType: "application/octet-stream" });
    }
  });

  it("is else what the browser says, if that is a type", () => {
    expect(fileKind(bytes("%PDF-"), "application/pdf")).toEqual({ kind: "document", mimeType: "application/pdf" });
    expect(fileKind(bytes(""), "audio/ogg; codecs=opus")).toEqual({ kind: "audio", mimeType: "audio/ogg" });
    expect(fileKind(bytes(""), "video/mp4")).toEqual({ kind: "video", mimeType: "video/mp4" });
    expect(fileKind(bytes(""), "a\r\nb")).toEqual({ kind: "document", mimeType: "application/octet-stream" });
  });
});

describe("the name of a file", () => {
  it("is the last part of a path, without what misleads, and not too long", () => {
    expect(cleanName("C:\\Users\\ann\\photo.png")).toBe("photo.png");
    expect(cleanName("../../etc/passwd")).toBe("passwd");
    expect(cleanName('in\u202egnp.e"xe\r\n')).toBe("in gnp.e xe");
    expect(cleanName("\u0000")).toBe("file");
    expect(cleanName(`${"x".repeat(300)}.pdf`)).toMatch(/^x{196}\.pdf$/);
  });
});
