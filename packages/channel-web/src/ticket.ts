import { createHmac, timingSafeEqual } from "node:crypto";
import type { MediaKind, MediaRef } from "@trunkline/plugin-sdk";

/** A file that a visitor has uploaded and may attach. */
export interface Upload {
  /** Where the host keeps it. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName: string;
}

/**
 * Writes a ticket for an upload: `<base64url of its JSON>.<hmac>`. The signature covers the visitor, so that a ticket is of no use to
 * anybody else, and what it says about the file is what was found when it arrived. Nothing has to be remembered for it.
 */
export function sealTicket(upload: Upload, visitor: string, key: string): string {
  const body = Buffer.from(JSON.stringify(upload)).toString("base64url");
  return `${body}.${sign(body, visitor, key)}`;
}

/** The upload of a ticket; undefined when it is another visitor's or none. */
export function openTicket(ticket: string, visitor: string, key: string): Upload | undefined {
  const match = /^([\w-]{1,2000})\.([\w-]{43})$/.exec(ticket);
  if (match === null) return undefined;
  const [, body = "", signature = ""] = match;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(body, visitor, key)))) return undefined;
  return JSON.parse(Buffer.from(body, "base64url").toString()) as Upload; // signed, so written above
}

/** The upload as core takes it: `channel:<id>`, to be fetched through this channel once access has passed. */
export function mediaRef({ id, ...rest }: Upload): MediaRef {
  return { ...rest, url: `channel:${id}` };
}

/** The host's id of a file that `mediaRef` named. */
export function mediaIdOf(media: MediaRef): string | undefined {
  return /^channel:([0-9a-f]{64})$/.exec(media.url)?.[1];
}

function sign(body: string, visitor: string, key: string): string {
  return createHmac("sha256", key).update(`${visitor}\n${body}`).digest("base64url");
}
