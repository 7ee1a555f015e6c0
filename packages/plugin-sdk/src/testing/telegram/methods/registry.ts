import { answerCallbackQuery, deleteMyCommands, getMe, getMyCommands, setMyCommands } from "./bot.ts";
import { deleteMessage, editMessageCaption, editMessageReplyMarkup, editMessageText } from "./edit.ts";
import { getFile } from "./get-file.ts";
import type { Method } from "./method.ts";
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from "./polling.ts";
import { setMessageReaction } from "./reaction.ts";
import { sendAudio, sendDocument, sendMediaGroup, sendPhoto, sendVideo, sendVoice } from "./send-media.ts";
import { getChat, sendChatAction, sendMessage, sendMessageDraft } from "./send-text.ts";

const METHODS: Readonly<Record<string, Method>> = {
  answerCallbackQuery,
  deleteMessage,
  deleteMyCommands,
  deleteWebhook,
  editMessageCaption,
  editMessageReplyMarkup,
  editMessageText,
  getChat,
  getFile,
  getMe,
  getMyCommands,
  getUpdates,
  getWebhookInfo,
  sendAudio,
  sendChatAction,
  sendDocument,
  sendMediaGroup,
  sendMessage,
  sendMessageDraft,
  sendPhoto,
  sendVideo,
  sendVoice,
  setMessageReaction,
  setMyCommands,
  setWebhook,
};

const BY_NAME = new Map(Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]));

/** Methods whose number per second the platform limits: whatever people see. */
const LIMITED = /^(?:send(?!chataction|messagedraft)|editmessage)/;

/** Finds a method; names are case-insensitive. Source: core.telegram.org/bots/api#making-requests. */
export function findMethod(name: string): Method | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** Whether a method counts towards the rate limits. */
export function isLimited(name: string): boolean {
  return LIMITED.test(name.toLowerCase());
}
