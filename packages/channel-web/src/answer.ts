/** A refusal: a status and a sentence for the person. */
export function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message } }, { status, headers });
}

/** There is no such conversation, or it is another visitor's: both look alike. */
export function noConversation(): Response {
  return refuse(404, "There is no such conversation.");
}

/** Too much in too short a time. */
export function tooFast(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  return refuse(429, `That was a lot at once. Wait ${seconds} seconds.`, { "retry-after": String(seconds) });
}

/** The fields of a JSON body; none for a body that is no JSON object. A form of another site can post text, but not this type. */
export async function readFields(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const body = await readJson(request);
  return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
}

/** The JSON body; undefined when it is none. */
export async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) return undefined;
  return request.json().catch(() => undefined);
}
