import type { GatewayConfig, ThinkingLevel } from "@trunkline/plugin-sdk";

/** What a prefix can name; filled when a model is selected, so that it names the one that answered. */
export interface ReplyPrefixVariables {
  identityName?: string;
  provider?: string;
  /** Short name: without provider, date and `-latest`. */
  model?: string;
  /** `provider/model`. */
  modelFull?: string;
  thinkingLevel?: string;
}

/** The model of an attempt. */
export interface SelectedModel {
  readonly provider: string;
  readonly model: string;
  readonly thinkLevel?: ThinkingLevel | undefined;
}

/** A prefix that is made when the text is there. */
export interface ReplyPrefixContext {
  /** One object for the whole turn: changed, never replaced. */
  readonly prefixContext: ReplyPrefixVariables;
  /** The template, "auto" resolved; undefined when there is none. */
  readonly responsePrefix: string | undefined;
  readonly responsePrefixContextProvider: () => ReplyPrefixVariables;
  readonly onModelSelected: (selected: SelectedModel) => void;
}

export interface ReplyPrefixOptions {
  readonly cfg: GatewayConfig;
  readonly agentId: string;
  readonly channel?: string;
  readonly accountId?: string;
}

/**
 * Creates the prefix of a turn's answer before its model is known. The template is the agent's own, else the account's (a channel gives it
 * to all its accounts by `defaults`), else `messages.responsePrefix`.
 */
export function createReplyPrefixContext({ cfg, agentId, channel, accountId }: ReplyPrefixOptions): ReplyPrefixContext {
  const agent = cfg.agents?.list?.find(({ id }) => id === agentId);
  const account = channel === undefined || accountId === undefined ? undefined : cfg.channels?.[channel]?.accounts?.[accountId];
  const template = agent?.responsePrefix ?? account?.responsePrefix ?? cfg.messages?.responsePrefix;
  const name = agent?.identity?.name;
  const prefixContext: ReplyPrefixVariables = name === undefined ? {} : { identityName: name };
  return {
    prefixContext,
    responsePrefix: template === "auto" ? (name === undefined ? undefined : `[${name}]`) : template || undefined,
    responsePrefixContextProvider: () => prefixContext,
    onModelSelected({ provider, model, thinkLevel }) {
      prefixContext.provider = provider;
      prefixContext.model = shortModelName(model);
      prefixContext.modelFull = `${provider}/${model}`;
      prefixContext.thinkingLevel = thinkLevel ?? "off";
    },
  };
}

const VARIABLES: Readonly<Record<string, keyof ReplyPrefixVariables>> = {
  "identity.name": "identityName",
  identityname: "identityName",
  provider: "provider",
  model: "model",
  modelfull: "modelFull",
  thinkinglevel: "thinkingLevel",
  think: "thinkingLevel",
};

/** A template with its variables filled in, in any case; what is unknown stays as it is written. */
export function fillPrefix(template: string, variables: ReplyPrefixVariables): string {
  return template.replace(/\{([a-z]+(?:\.[a-z]+)?)\}/gi, (whole, name: string) => {
    const key = name.toLowerCase();
    const variable = Object.hasOwn(VARIABLES, key) ? VARIABLES[key] : undefined;
    return (variable && variables[variable]) ?? whole;
  });
}

/** `anthropic/claude-opus-4-5-20251101` is `claude-opus-4-5`: no provider, no date of eight digits, no `-latest`. */
export function shortModelName(model: string): string {
  const name = model.slice(model.lastIndexOf("/") + 1);
  return name.replace(/-latest$/, "").replace(/-\d{8}$/, "");
}

/** The prefix of one turn: put once, before the first text of the agent that people see. */
export class TurnPrefix {
  readonly #context: ReplyPrefixContext;
  #used: boolean;
  #selected = false;

  constructor(options: ReplyPrefixOptions, used: boolean) {
    this.#context = createReplyPrefixContext(options);
    this.#used = used;
  }

  /** A model is about to be asked, or answered before a restart: `provider/model`. */
  select(reference: string, thinkLevel: ThinkingLevel | undefined): void {
    const slash = reference.indexOf("/");
    this.#context.onModelSelected({ provider: reference.slice(0, slash), model: reference.slice(slash + 1), thinkLevel });
    this.#selected = true;
  }

  /** What stands before the next text; undefined when there is none, when it was put, or when no model speaks. */
  next(): string | undefined {
    const { responsePrefix, prefixContext } = this.#context;
    return responsePrefix === undefined || this.#used || !this.#selected ? undefined : fillPrefix(responsePrefix, prefixContext);
  }

  /** A text with it is on its way. */
  use(): void {
    this.#used = true;
  }
}
