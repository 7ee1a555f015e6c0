/** What an id names: a member (U, or W in an organisation), a user group, or a channel. [docs.slack.dev/messaging/formatting-message-text] */
export type MentionKind = "user" | "usergroup" | "channel";

const ID = /^[UWSC][A-Z0-9]{2,20}$/;

/** The kind of an id that can be mentioned; undefined for everything else, so that no other token can be smuggled in. */
export function mentionKind(id: string): MentionKind | undefined {
  if (!ID.test(id)) return undefined;
  return id.startsWith("S") ? "usergroup" : id.startsWith("C") ? "channel" : "user";
}

/** The token of a mention in text; undefined for an id that names nothing here. */
export function mentionToken(id: string): string | undefined {
  const kind = mentionKind(id);
  if (kind === undefined) return undefined;
  return kind === "user" ? `<@${id}>` : kind === "channel" ? `<#${id}>` : `<!subteam^${id}>`;
}
