/** Requests to the gateway, relative to the page. Each gives `{ ok, status, body }`, and status 0 when nobody answered. */

async function ask(path, options) {
  try {
    const response = await fetch(path, options);
    return { ok: response.ok, status: response.status, body: await response.json().catch(() => undefined) };
  } catch {
    return { ok: false, status: 0, body: undefined };
  }
}

export function post(path, body, more = {}) {
  return ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), ...more });
}

export function get(path) {
  return ask(path, { cache: "no-store" });
}

/** The sentence that says why a request failed. */
export function whyNot({ status, body }) {
  if (body?.error?.message) return body.error.message;
  return status === 0 ? "The gateway cannot be reached." : "That did not work.";
}
