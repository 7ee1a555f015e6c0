import type { WireEntity } from "../wire.ts";
import type { FindUser } from "./given-entities.ts";
import { checkLink } from "./links.ts";

/**
 * The entity for an inline link of HTML or Markdown: a link, a mention of a known person, or nothing.
 * In marked-up text a bad target only loses its link; the same target in `entities` is refused.
 * Source: td MessageEntity.cpp, `parse_html`.
 */
export function linkedEntity(
  target: string,
  range: { readonly offset: number; readonly length: number },
  findUser: FindUser,
): WireEntity[] {
  const link = checkLink(target);
  if (link.kind === "url") return [{ type: "text_link", ...range, url: link.url }];
  const user = link.kind === "user" ? findUser(link.userId) : undefined;
  return user === undefined ? [] : [{ type: "text_mention", ...range, user }];
}
