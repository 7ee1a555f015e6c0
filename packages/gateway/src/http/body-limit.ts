/**
 * The request itself when its body is within the limit (in bytes), undefined when it is not. A body that announces its length is judged
 * by that, since no more than that is ever read; one that does not is read here, and the request that is given back holds it.
 */
export async function withinLimit(request: Request, limit: number): Promise<Request | undefined> {
  if (request.body === null) return request;
  const announced = request.headers.get("content-length");
  if (announced !== null && !request.headers.has("transfer-encoding")) return Number(announced) <= limit ? request : undefined;
  const body = await readUpTo(request.body, limit);
  if (body === undefined) return undefined;
  return new Request(request.url, { method: request.method, headers: [...request.headers], body, signal: request.signal });
}

async function readUpTo(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks, size));
}
