import type { HttpIdentity } from "@trunkline/plugin-sdk";
import { noConversation, readFields, refuse, tooFast } from "./answer.ts";
import { TITLE_LIMIT } from "./conversation-list.ts";
import type { WebSite } from "./site.ts";
import { frameEvent, type ListedConversation } from "./wire.ts";

/** `GET web/conversations`: the visitor's list. */
export async function readList(who: HttpIdentity, { lists }: WebSite): Promise<Response> {
  return Response.json({ list: await lists.of(who.visitor) });
}

/** `POST web/conversations/rename` `{ id, title }`. */
export async function renameConversation(request: Request, who: HttpIdentity, site: WebSite): Promise<Response> {
  const { id, title } = await readFields(request);
  if (typeof id !== "string" || typeof title !== "string") return refuse(400, "A change of name is { id, title }.");
  if (Array.from(title).length > TITLE_LIMIT) return refuse(400, `A name has at most ${TITLE_LIMIT} characters.`);
  return change(who, site, () => site.lists.rename(who.visitor, id, title));
}

/** `POST web/conversations/delete` `{ id }`: takes it off the list. What was said stays in the gateway's store. */
export async function deleteConversation(request: Request, who: HttpIdentity, site: WebSite): Promise<Response> {
  const { id } = await readFields(request);
  if (typeof id !== "string") return refuse(400, "Which one? { id }");
  return change(who, site, () => site.lists.remove(who.visitor, id));
}

async function change(who: HttpIdentity, site: WebSite, run: () => Promise<readonly ListedConversation[] | undefined>): Promise<Response> {
  const wait = site.rates.changes.take(who.visitor);
  if (wait > 0) return tooFast(wait);
  const list = await run();
  if (list === undefined) return noConversation();
  site.hub.tell(who.visitor, frameEvent("conversations", { list }));
  return Response.json({ list });
}
