import type { Response } from "./response.ts";

/** How long the body of an error status is waited for, in ms, and how much of it is read, in bytes. */
const ERROR_BODY_MS = 2_000;
const ERROR_BODY_BYTES = 16 * 1024;

/** What there is of an error's body; a body that does not come must not hide the status. */
export async function readErrorBody(response: Response, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  response.hurry(ERROR_BODY_MS);
  try {
    for (let chunk = await response.next(); chunk !== undefined && size < ERROR_BODY_BYTES; chunk = await response.next()) {
      chunks.push(chunk);
      size += chunk.length;
    }
  } catch (error) {
    if (signal.aborted) throw error;
  }
  return Buffer.concat(chunks).subarray(0, ERROR_BODY_BYTES).toString("utf8");
}
