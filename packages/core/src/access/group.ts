import type { AccountConfig, GroupConfig } from "@trunkline/plugin-sdk";

/** The config of a group with the key that named it: its own id, else `*`. Undefined when neither is listed. */
export function groupConfigOf(
  account: Pick<AccountConfig, "groups">,
  id: string,
): { readonly key: string; readonly config: GroupConfig } | undefined {
  for (const key of [id, "*"]) {
    // An id comes from the platform: `constructor` is no group that somebody listed.
    const config = Object.hasOwn(account.groups, key) ? account.groups[key] : undefined;
    if (config !== undefined) return { key, config };
  }
  return undefined;
}
