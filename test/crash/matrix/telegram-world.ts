import { createTelegramEmulator, type EmulatedChat, type TelegramEmulator, type VisibleMessage } from "@trunkline/plugin-sdk/testing";
import type { Person, World } from "./world.ts";

/** Longest wait for something to happen before the state is looked at anyway, ms. */
const LOOK_MS = 40;

/** What an account does with a part of which nobody can say whether it arrived. */
export type OnAmbiguous = "resend" | "hold";

/** Who may ever come, one after the other. They are named, because only a named person may use commands. */
const PEOPLE = Array.from({ length: 2000 }, (_, n) => 1001 + n);

/** Telegram, as the emulator has it. What it shows on screens is what counts. */
export async function telegramWorld(onAmbiguous: OnAmbiguous = "resend"): Promise<World> {
  const emulator = await createTelegramEmulator();
  let people = 0;
  return {
    channel: "telegram",
    accountYaml: `  telegram:
    accounts:
      main:
        token: "${emulator.token}"
        apiRoot: "${emulator.apiRoot}"
        dmPolicy: allowlist
        allowFrom: [${PEOPLE.map((id) => `"${id}"`).join(", ")}]
        groupPolicy: open
        onAmbiguous: ${onAmbiguous}
`,
    async meet(place) {
      people += 1;
      const who = { userId: PEOPLE[people]!, firstName: `P${people}` };
      if (place === "direct") return personIn(emulator.privateChat(who), who, emulator);
      const group = emulator.group({ id: -1_000_000_000_000 - people, title: `G${people}`, supergroup: true });
      return personIn(group, who, emulator);
    },
    up: async () => {},
    down: () => {},
    quiet: () => soonOr(emulator.waitFor(() => emulator.polling && emulator.pendingUpdates === 0, { timeoutMs: 30_000 })),
    somethingHappens() {
      const { length } = emulator.audit.calls();
      return emulator
        .waitFor((audit) => audit.calls().length > length, { timeoutMs: LOOK_MS })
        .then(
          () => {},
          () => {},
        );
    },
    handedOver: () => emulator.audit.injected,
    close: () => emulator.close(),
  };
}

function personIn(chat: EmulatedChat, who: { userId: number; firstName: string }, emulator: TelegramEmulator): Person {
  const isGroup = chat.wire.type !== "private";
  return {
    async say(text) {
      emulator.send(chat, who, { text: isGroup ? `@${emulator.bot.username} ${text}` : text });
    },
    answers: () => emulator.audit.visibleFromBot(chat.id).map(wordsOf),
    sawWork: () => emulator.audit.timeline().some((entry) => entry.chatId === chat.id && entry.from === "bot"),
    // The server keeps the messages: every device shows the same.
    lookAgain: async () => undefined,
  };
}

function wordsOf({ text, media }: VisibleMessage): string {
  return media === undefined ? text : `[file ${media.fileName ?? media.kind}]${text === "" ? "" : ` ${text}`}`;
}

/** Resolves when it happened, or when it is too late for it: who waits looks for themselves. */
function soonOr(happening: Promise<unknown>): Promise<void> {
  return happening.then(
    () => {},
    () => {},
  );
}
