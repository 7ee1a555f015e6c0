/** Signing in: a token becomes a cookie that no script can read, and is forgotten. And signing out. */

/** The token of a sign-in link, or the text itself. */
export function tokenIn(text) {
  const match = /#token=([^&\s]+)/.exec(text);
  return match === null ? text.trim() : decodeURIComponent(match[1]);
}

/** Takes the token out of the address, so that it stays neither there nor in the history. */
export function takeTokenFromAddress() {
  if (!location.hash.startsWith("#token=")) return undefined;
  const token = tokenIn(location.hash);
  history.replaceState(null, "", location.pathname + location.search);
  return token;
}

/** Exchanges a token for the cookie. Gives undefined, or the sentence that says why not. */
export async function signIn(token) {
  try {
    const response = await fetch("/auth/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (response.ok) return undefined;
    const error = (await response.json().catch(() => undefined))?.error;
    return [error?.message ?? "Signing in failed.", error?.hint].filter(Boolean).join(" ");
  } catch {
    return "The gateway cannot be reached.";
  }
}

/** Who the browser is, `{ role, visitor }`; undefined when it is not signed in or nobody answers. */
export async function currentSession() {
  const response = await fetch("/auth/session", { cache: "no-store" }).catch(() => undefined);
  return response?.ok ? await response.json() : undefined;
}

/** Signs this browser out; whether it worked. `forget`: whoever signs in here next does not find the conversations. */
export async function signOut({ forget }) {
  const response = await fetch(`/auth/session?forget=${forget}`, { method: "DELETE" }).catch(() => undefined);
  return response?.ok === true;
}
