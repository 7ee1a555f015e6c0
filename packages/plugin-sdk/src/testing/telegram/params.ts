import { badRequest } from "./refusal.ts";

/** A file that came with a request. */
export interface UploadedFile {
  readonly name: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
}

/**
 * The parameters of one call. A value may come as text (query, form) or as JSON; both read alike, as on the real server,
 * which turns everything into text first. Source: telegram-bot-api Query.h and Client.cpp, `get_integer_arg` and others.
 */
export class Params {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #files: ReadonlyMap<string, UploadedFile>;

  constructor(values: ReadonlyMap<string, unknown>, files: ReadonlyMap<string, UploadedFile>) {
    this.#values = values;
    this.#files = files;
  }

  /** The value as text; empty when absent. */
  text(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined || value === null) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  /** The value as a whole number within bounds; anything else counts as 0, an absent one as `absent`. */
  integer(name: string, absent: number, min = -2_147_483_648, max = 2_147_483_647): number {
    const text = this.text(name);
    const value = text === "" ? absent : Number.parseInt(text, 10) || 0;
    return Math.min(max, Math.max(min, value));
  }

  /** Whether the value says yes: true, yes or 1. */
  flag(name: string): boolean {
    return ["true", "yes", "1"].includes(this.text(name).toLowerCase());
  }

  /** The value read as JSON; undefined when absent. @throws Refusal 400 "can't parse `what` JSON object". */
  json(name: string, what: string): unknown {
    const value = this.#values.get(name);
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      throw badRequest(`Can't parse ${what} JSON object`);
    }
  }

  /** The file that came under this name. */
  file(name: string): UploadedFile | undefined {
    return this.#files.get(name);
  }

  /** Everything for the audit log: files as name and size. */
  toLog(): Record<string, unknown> {
    const files = [...this.#files].map(([name, file]) => [name, { file: file.name, size: file.bytes.byteLength }] as const);
    return Object.fromEntries([...this.#values, ...files]);
  }
}
