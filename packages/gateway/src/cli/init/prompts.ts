import { confirm, intro, isCancel, log, outro, password, select, spinner, text } from "@clack/prompts";
import { GatewayError } from "@trunkline/plugin-sdk";

/** Questions at a terminal. Each rejects with GATEWAY_CANCELLED at Ctrl-C. */
export interface Prompts {
  choose<Value extends string>(question: string, options: readonly { readonly value: Value; readonly label: string }[]): Promise<Value>;
  /** `suggestion` is the answer to Enter. */
  text(question: string, suggestion: string): Promise<string>;
  /** Not shown while it is typed. Empty when nothing was typed. */
  secret(question: string): Promise<string>;
  confirm(question: string): Promise<boolean>;
  /** Shows that something goes on; the work's own sentence when it is done. */
  during(what: string, work: () => Promise<string>): Promise<void>;
  say(text: string): void;
}

/** Asks with clack on standard input and output. */
export function terminalPrompts(): Prompts & { begin(title: string): void; end(text: string): void } {
  return {
    begin: intro,
    end: outro,
    choose: async (message, options) => {
      const picked = await select<string>({ message, options: [...options] });
      return answered(picked) as (typeof options)[number]["value"]; // one of the values that were offered
    },
    text: async (message, suggestion) => {
      const typed = answered(await text({ message, placeholder: suggestion, defaultValue: suggestion }));
      return typed.trim() || suggestion;
    },
    secret: async (message) => (answered(await password({ message })) ?? "").trim(),
    confirm: async (message) => answered(await confirm({ message })),
    async during(what, work) {
      const shown = spinner();
      shown.start(what);
      shown.stop(await work());
    },
    say: (line) => log.message(line),
  };
}

function answered<Value>(value: Value): Exclude<Value, symbol> {
  if (!isCancel(value)) return value as Exclude<Value, symbol>; // the only symbol is clack's own
  throw new GatewayError("GATEWAY_CANCELLED");
}
