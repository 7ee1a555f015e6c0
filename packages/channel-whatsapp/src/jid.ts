const ADDRESS = /^(\d{5,20}(?:-\d{5,20})?)(?:_\d{1,3})?(?::\d{1,3})?@(s\.whatsapp\.net|c\.us|lid|g\.us|newsletter)$/i;

/**
 * An address as it is compared and kept: without the device (`:4`) and agent (`_1`) that a message came from, the old server `c.us` as the new
 * one. Undefined for what is no address of a conversation. Source: baileys, WABinary/jid-utils.
 */
export function canonicalJid(text: string): string | undefined {
  const [, user = "", server = ""] = ADDRESS.exec(text.trim()) ?? [];
  if (user === "") return undefined;
  const where = server.toLowerCase() === "c.us" ? "s.whatsapp.net" : server.toLowerCase();
  // Only groups have the number of who made them before a hyphen.
  return user.includes("-") && where !== "g.us" ? undefined : `${user}@${where}`;
}
