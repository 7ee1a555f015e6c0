import type { AccountConfig, ConversationRef, GroupConfig } from "@trunkline/plugin-sdk";

/** The rules of a group, with the keys below `groups` that gave them. */
export interface GroupRules {
  /** The most specific key. */
  readonly key: string;
  readonly config: GroupConfig;
  /** The key that a rule was written under: a topic takes from its group what it does not say itself. */
  keyOf(rule: keyof GroupConfig): string;
}

/**
 * The rules of a conversation: those of its topic (`ID:TOPIC`) over those of its group, else those of `*`. A group that is listed
 * takes nothing from `*`. Undefined when none of the three is listed. Pure.
 */
export function groupConfigOf(
  account: Pick<AccountConfig, "groups">,
  { id, threadId }: Pick<ConversationRef, "id" | "threadId">,
): GroupRules | undefined {
  // An id comes from the platform: `constructor` is no group that somebody listed.
  const merged = (group: GroupConfig | undefined, topic: GroupConfig): GroupConfig => {
    const markdown = { ...group?.markdown, ...topic.markdown };
    return { ...group, ...topic, ...(Object.keys(markdown).length === 0 ? {} : { markdown }) };
  };
  const listed = (key: string): GroupConfig | undefined => (Object.hasOwn(account.groups, key) ? account.groups[key] : undefined);
  const topicKey = `${id}:${threadId}`;
  const topic = threadId === undefined ? undefined : listed(topicKey);
  const group = listed(id);
  if (topic) return { key: topicKey, config: merged(group, topic), keyOf: (rule) => (topic[rule] === undefined && group ? id : topicKey) };
  const [key, config] = group ? [id, group] : ["*", listed("*")];
  return config && { key, config, keyOf: () => key };
}
