import { type ConversationRef, describeError, type HttpIdentity, type InboundMessage } from "@trunkline/plugin-sdk";
import { noConversation, readFields, readJson, refuse, tooFast } from "./answer.ts";
import { buttonAt } from "./buttons.ts";
import { nameOf } from "./conversation.ts";
import { MAX_CONVERSATIONS } from "./conversation-list.ts";
import { roomName } from "./hub.ts";
import { inboundWire, parsePosted, pressInbound, reactionInbound, toInbound, UUID } from "./inbound.ts";
import { conversationOf, sentPart, type WebSite } from "./site.ts";
import { openTicket, type Upload } from "./ticket.ts";
import { frameEvent } from "./wire.ts";

/** What a person can react with. */
export const REACTIONS: readonly string[] = ["👍", "👎", "❤️", "😄", "🎉", "🤔"];

/** `POST web/messages` `{ clientId, text, files?, c? }`. */
export async function postMessage(request: Request, who: HttpIdentity, site: WebSite): Promise<Response> {
  const posted = parsePosted(await readJson(request));
  if (!posted.ok) return refuse(posted.status, posted.message);
  const conversation = conversationOf(site, who, posted.c);
  // Not 404, which the page takes for an account that is starting again, and for a reason to send once more.
  if (conversation === undefined) return refuse(400, "There is no such conversation.");
  const uploads = openAll(posted.files, who, site);
  if (uploads === undefined) return refuse(400, "An attached file is not known here. Attach it again.");
  const wait = site.rates.messages.take(who.visitor);
  if (wait > 0) return tooFast(wait);
  const refusal = await list(conversation, posted.text || (uploads[0]?.fileName ?? ""), site);
  return refusal ?? (await accept(toInbound({ ...posted, uploads }, conversation, who, site.host.clock.now()), site));
}

/** `POST web/buttons` `{ message, n, c? }`: presses the n-th button of a message. The first press counts, in whatever tab. */
export async function pressButton(request: Request, who: HttpIdentity, site: WebSite): Promise<Response> {
  const { message, n, c } = await readFields(request);
  const conversation = conversationOf(site, who, c);
  if (conversation === undefined) return noConversation();
  const wait = site.rates.messages.take(who.visitor);
  if (wait > 0) return tooFast(wait);
  const part = typeof message === "string" ? await sentPart(site, conversation, message) : undefined;
  const button = part && buttonAt(part, Number(n));
  if (part === undefined || button?.value === undefined) return refuse(404, "There is no such button.");
  const room = roomName(conversation);
  const before = (await site.marks.of(room)).pressed[part.key];
  if (before !== undefined) return refuse(409, "One of these buttons was pressed before.");
  const press = { message: part.key, text: button.text, value: button.value };
  const answer = await accept(pressInbound(press, conversation, who, site.host.clock.now()), site);
  if (answer.ok) {
    await site.marks.press(room, part.key, Number(n));
    site.hub.say(room, frameEvent("marks", { pressed: { [part.key]: Number(n) } }));
  }
  return answer;
}

/** `POST web/reactions` `{ clientId, message, emoji, c? }`: an empty `emoji` takes the reaction away. */
export async function postReaction(request: Request, who: HttpIdentity, site: WebSite): Promise<Response> {
  const { clientId, message, emoji, c } = await readFields(request);
  const conversation = conversationOf(site, who, c);
  if (conversation === undefined) return noConversation();
  const wait = site.rates.changes.take(who.visitor);
  if (wait > 0) return tooFast(wait);
  if (typeof clientId !== "string" || !UUID.test(clientId)) return refuse(400, "The reaction has no valid clientId.");
  if (typeof emoji !== "string" || (emoji !== "" && !REACTIONS.includes(emoji))) return refuse(400, "That is no reaction.");
  const part = typeof message === "string" ? await sentPart(site, conversation, message) : undefined;
  if (part === undefined) return refuse(404, "There is no such message.");
  const plain = part.text?.plain ?? "";
  const reaction = reactionInbound({ clientId, message: part.key, emoji, plain }, conversation, who, site.host.clock.now());
  const room = roomName(conversation);
  return guarded(site, async () => {
    await site.host.receive([reaction]);
    await site.marks.react(room, part.key, emoji);
    site.hub.say(room, frameEvent("marks", { reactions: { [part.key]: emoji } }));
    return new Response(null, { status: 204 });
  });
}

/** Hands a message to the gateway, and shows it in all tabs once it is durable. */
async function accept(message: InboundMessage, site: WebSite): Promise<Response> {
  return guarded(site, async () => {
    const [result] = await site.host.receive([message]);
    // A repeat was shown when it came first; its time is known to whoever has seen it.
    if (result === undefined || result.duplicate) return Response.json({ id: result?.id ?? null, duplicate: true }, { status: 202 });
    site.hub.publish(roomName(message.conversation), inboundWire(message, message.sentAt));
    return Response.json({ id: result.id, duplicate: false, at: message.sentAt }, { status: 202 });
  });
}

async function guarded(site: WebSite, run: () => Promise<Response>): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    const { channel, account, logger } = site.host;
    logger.error({ channel, account, error: describeError(error) }, "a web message could not be stored");
    return refuse(503, "The gateway cannot take messages now. Nothing was lost: it is sent again.", { "retry-after": "5" });
  }
}

/** Puts the conversation on top of the visitor's list, before anything is said in it: a message is never in a place that is not listed. */
async function list(conversation: ConversationRef, words: string, site: WebSite): Promise<Response | undefined> {
  let changed: Awaited<ReturnType<WebSite["lists"]["touch"]>>;
  const failed = await guarded(site, async () => {
    changed = await site.lists.touch(conversation.id, nameOf(conversation), words);
    return new Response();
  });
  if (!failed.ok) return failed;
  if (changed === "full") return refuse(409, `There are ${MAX_CONVERSATIONS} conversations. Delete one to begin another.`);
  if (changed !== undefined) site.hub.tell(conversation.id, frameEvent("conversations", { list: changed }));
  return undefined;
}

function openAll(tickets: readonly string[], who: HttpIdentity, site: WebSite): readonly Upload[] | undefined {
  const uploads = tickets.map((ticket) => openTicket(ticket, who.visitor, site.ticketKey));
  return uploads.every((upload) => upload !== undefined) ? uploads : undefined;
}
