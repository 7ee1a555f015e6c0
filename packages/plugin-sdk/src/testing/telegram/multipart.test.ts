import { describe, expect, it } from "vitest";
import { parseMultipart } from "./multipart.ts";

const TYPE = "multipart/form-data; boundary=-----x1";

function form(...parts: string[]): Buffer {
  return Buffer.from(`${parts.map((part) => `-------x1\r\n${part}\r\n`).join("")}-------x1--\r\n`, "latin1");
}

describe("parseMultipart", () => {
  it("reads fields and files as a browser sends them", () => {
    const body = form(
      'Content-Disposition: form-data; name="chat_id"\r\n\r\n42',
      'Content-Disposition: form-data; name="a"; filename="say \\"hi\\".txt"\r\nContent-Type: text/plain\r\n\r\n\u00ff\r\n--\u0000',
    );
    const read = parseMultipart(body, TYPE);
    expect([...(read?.fields ?? [])]).toEqual([["chat_id", "42"]]);
    expect(read?.files.get("a")).toEqual({
      name: 'say "hi".txt',
      mimeType: "text/plain",
      bytes: Uint8Array.from([0xff, 13, 10, 45, 45, 0]),
    });
  });

  it("reads the lean headers that grammY writes", () => {
    const body = form(
      'content-disposition:form-data;name="text"\r\n\r\na\r\nb',
      'content-disposition:form-data;name="f1";filename=my file.png\r\ncontent-type:application/octet-stream\r\n\r\nxyz',
    );
    const read = parseMultipart(body, TYPE);
    expect(read?.fields.get("text")).toBe("a\r\nb");
    expect(read?.files.get("f1")).toMatchObject({ name: "my file.png", mimeType: "application/octet-stream" });
  });

  it("reads an empty value", () => {
    expect(parseMultipart(form('content-disposition:form-data;name="text"\r\n\r\n'), TYPE)?.fields.get("text")).toBe("");
  });

  it.each<[string, Buffer, string]>([
    ["no boundary in the header", form(), "multipart/form-data"],
    ["another boundary", form('content-disposition:form-data;name="a"\r\n\r\nb'), "multipart/form-data; boundary=other"],
    ["a missing end", Buffer.from('-------x1\r\ncontent-disposition:form-data;name="a"\r\n\r\nb'), TYPE],
    ["a part without a name", form("content-type:text/plain\r\n\r\nb"), TYPE],
  ])("gives up on %s", (_what, body, type) => {
    expect(parseMultipart(body, type)).toBeUndefined();
  });
});
