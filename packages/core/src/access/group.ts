import type { AccountConfig, GroupConfig } from "@trunkline/plugin-sdk";

/** The config of a group with the key that named it: its own id, else `*`. Undefined when neither is listed. */
export function groupConfigOf(account: Pick<AccountConfig, "groups">, id: string): { readonly key: string; readonly config: GroupConfig } | undefined {
  for (const key of [id, "*"]) {
    const config = account.groups[key];
    if (config !== undefined) return { key, config };
  }
  return undefined;
}
