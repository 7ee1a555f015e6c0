import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import type { ConfigPath } from "./problem.ts";

/** Whether a list entry or scalar at this path is an id: digits that must never be read as a number. */
export function isIdPlace(path: ConfigPath): boolean {
  const last = path.at(-1);
  if (typeof last === "number") {
    const list = path.at(-2);
    return list === "allowFrom" || (list === "owners" && path.length === 2);
  }
  return path[0] === "bindings" && path.at(-2) === "match" && (last === "peer" || last === "space");
}

/** Whether the keys of the map at this path are ids: the groups of an account. */
export function hasIdKeys(path: ConfigPath): boolean {
  return path.length === 5 && path[0] === "channels" && path[2] === "accounts" && path[4] === "groups";
}

/** Whether the value at this path is a secret: provider keys and headers, and what the channel calls one. */
export function isSecretPlace(path: ConfigPath, channels: readonly ChannelPlugin[]): boolean {
  const [section, name, third, , key] = path;
  if (section === "providers") return third === "apiKey" || (third === "headers" && path.length === 4);
  if (section !== "channels" || third !== "accounts") return false;
  return path.length >= 5 && secretKeysOf(channels, String(name)).includes(String(key));
}

/** Whether the value at this path is a URL that may hold a password. */
export function isUrlPlace(path: ConfigPath): boolean {
  const [section, name, key] = path;
  return (
    (section === "store" && name === "url") ||
    (section === "network" && name === "proxy") ||
    (section === "providers" && key === "baseUrl" && path.length === 3)
  );
}

/** The secret keys that a channel declares; none for an unknown channel. */
export function secretKeysOf(channels: readonly ChannelPlugin[], id: string): readonly string[] {
  return channels.find((channel) => channel.id === id)?.secretKeys ?? [];
}
