import { MODEL_INPUTS, THINKING_LEVELS } from "@trunkline/plugin-sdk";
import { z } from "zod";
import { accountSchema, markdownSchema } from "./account-schema.ts";

const text = z.string().min(1, "must not be empty");
const entries = z.array(text);
const milliseconds = z.int().min(1).max(86_400_000).exactOptional();
const name = (what: string) =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{0,63}$/,
      `${what} is lower-case letters, digits, - and _, at most 64 characters, and starts with a letter or digit`,
    );
/** Keys of the file's final form whose features this version does not have: they may stand there, empty. */
const nothingYet = (what: string) => z.strictObject({}).default({}).describe(what);

const queueKeys = {
  mode: z
    .enum(["collect", "followup", "steer", "interrupt", "drop-new"])
    .describe(
      "collect: all that wait become one prompt; followup: one answer each; steer: they join the running answer at its next model step; interrupt: the running answer is stopped for them; drop-new: they are dropped.",
    ),
  debounceMs: z
    .int()
    .min(0)
    .max(60_000)
    .describe("Milliseconds of silence after the newest waiting message before what waits is collected. Default 1000."),
  cap: z.int().min(1).max(1000).describe("Most messages that wait for one conversation. Default 20."),
  drop: z
    .enum(["summarize", "old", "new"])
    .describe("What is left out when more wait: the oldest, with a word to the agent; the oldest; or the newest. Default summarize."),
};

const modelSchema = z.strictObject({
  primary: text.exactOptional().describe("provider/model, for example demo/guide."),
  fallbacks: entries.exactOptional().describe("Models to try, in order, when the primary one fails."),
  params: z.record(z.string(), z.unknown()).exactOptional().describe("Passed to the model as they are: temperature and the like."),
});

const behaviour = {
  model: modelSchema.exactOptional(),
  thinking: z
    .enum(["off", "minimal", "low", "medium", "high", "xhigh"])
    .exactOptional()
    .describe("How hard the model thinks; where it does not have the level, the nearest lower one. Default: the model's own, else low."),
  verbose: z
    .enum(["off", "on", "full"])
    .exactOptional()
    .describe("A line in direct messages for each tool that runs; full: its output as well. Default off."),
  reasoning: z.enum(["off", "on", "stream"]).exactOptional().describe("Show the model's reasoning."),
  queue: z
    .strictObject({
      mode: queueKeys.mode.exactOptional(),
      debounceMs: queueKeys.debounceMs.exactOptional(),
      cap: queueKeys.cap.exactOptional(),
      drop: queueKeys.drop.exactOptional(),
    })
    .exactOptional()
    .describe("What is said here beats messages.queue."),
};

const agentSchema = z.strictObject({
  id: name("an agent id").describe("Name of the agent in bindings and groups."),
  identity: z
    .strictObject({ name: text.exactOptional(), emoji: text.exactOptional(), avatar: text.exactOptional() })
    .exactOptional()
    .describe("How the agent is called in chats. Default name: the id."),
  responsePrefix: z.string().exactOptional().describe("Text before its answers, in place of the account's."),
  instructions: z.string().exactOptional().describe("The instructions, or a path to a file with them: ./agents/aria.md."),
  ...behaviour,
});

const tokens = z.int().min(1).exactOptional();
const dollars = z.number().min(0);

const modelInfoSchema = z.strictObject({
  contextWindow: tokens.describe("Tokens of prompt and answer together."),
  maxOutput: tokens.describe("Tokens of one answer."),
  thinking: z
    .union([z.array(z.enum(THINKING_LEVELS)), z.literal("binary")], {
      error: `must be binary, or a list of levels out of ${THINKING_LEVELS.join(", ")}`,
    })
    .exactOptional()
    .describe("The levels that the model takes, [] for none; binary: on and off only."),
  defaultThinking: z.enum(THINKING_LEVELS).exactOptional().describe("The level for agents that name none."),
  input: z.array(z.enum(MODEL_INPUTS)).exactOptional().describe("What the model can read."),
  price: z
    .strictObject({ input: dollars, output: dollars, cached: dollars.exactOptional() })
    .exactOptional()
    .describe("US dollars per million tokens."),
});

const providerSchema = z.strictObject({
  type: z
    .enum(["openai-compatible", "anthropic", "openai", "google"])
    .describe("openai-compatible: any server with /chat/completions (OpenRouter, Ollama, vLLM, ...). The others: the provider's own API."),
  baseUrl: text.exactOptional().describe("Address up to and including /v1. anthropic, openai and google have one of their own."),
  apiKey: z
    .union([z.string(), z.array(z.string())], { error: "must be a key, or a list of keys" })
    .exactOptional()
    .describe("${VARIABLE}, file:./path, or the key itself. Several in a list take turns when one is refused or limited."),
  headers: z.record(z.string(), z.string()).exactOptional().describe("Extra HTTP headers."),
  timeouts: z
    .strictObject({ connectMs: milliseconds, firstByteMs: milliseconds, idleMs: milliseconds, totalMs: milliseconds })
    .exactOptional()
    .describe("All in milliseconds."),
  models: z
    .record(text, modelInfoSchema)
    .exactOptional()
    .describe("What the catalogue does not know about a model, by its name without the provider."),
});

const bindingSchema = z.strictObject({
  agent: text.describe("Id of the agent that answers."),
  match: z
    .strictObject({
      channel: text.exactOptional(),
      account: text.exactOptional(),
      peer: z
        .string()
        .regex(/^(dm|group|channel):./su, "must be dm:ID, group:ID or channel:ID")
        .exactOptional()
        .describe("dm:ID, group:ID or channel:ID, in quotes."),
      space: text.exactOptional().describe("Id of a server, guild or team, in quotes."),
    })
    .describe("All that is given has to match; {} matches everything."),
});

const messagesSchema = z.strictObject({
  responsePrefix: z
    .string()
    .exactOptional()
    .describe(
      "Text before every answer of an agent; auto is its name in brackets. {identityName}, {model}, {modelFull}, {provider} and {think} are filled in.",
    ),
  inbound: z
    .strictObject({
      debounceMs: z
        .int()
        .min(0)
        .max(60_000)
        .exactOptional()
        .describe("Milliseconds of silence after a text before it is answered, so that several become one prompt. Default 0: at once."),
    })
    .exactOptional(),
  queue: z
    .strictObject({
      mode: queueKeys.mode.default("collect"),
      debounceMs: queueKeys.debounceMs.exactOptional(),
      cap: queueKeys.cap.default(20),
      drop: queueKeys.drop.exactOptional(),
    })
    .prefault({})
    .describe("What happens to messages that arrive while an answer is being written."),
  maxInboundAge: z.int().min(1000).default(21_600_000).describe("Milliseconds. Older messages are kept and not answered. Default 6 hours."),
  stopWords: entries
    .exactOptional()
    .describe("Words that, as a whole message, stop the running answer as /stop does, in place of the built-in ones. []: only /stop does."),
  silentToken: text.default("NO_REPLY").describe("What an agent answers, alone, to stay silent."),
  silence: z
    .enum(["exact", "strict"])
    .default("exact")
    .describe("strict: the silent token at either end of an answer silences all of it; answers are then shown when they are complete."),
  texts: z.record(z.string(), z.string()).default({}).describe("The gateway's own sentences, replaceable one by one."),
  locale: text.exactOptional(),
});

const sessionSchema = z.strictObject({
  dmScope: z
    .enum(["per-account-channel-peer", "per-channel-peer", "per-peer", "main"])
    .default("per-account-channel-peer")
    .describe("Which direct messages share one memory."),
  reset: z
    .strictObject({
      mode: z.enum(["daily", "idle", "never"]).exactOptional(),
      at: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 04:00")
        .exactOptional(),
      idleMinutes: z.int().min(1).exactOptional(),
    })
    .exactOptional()
    .describe("When a conversation starts afresh by itself."),
  identityLinks: z.record(z.string(), entries).exactOptional().describe("Ids of one person on several channels."),
});

/** The whole file, without the channels' own account keys. `version` is the one key that has to be there. */
export const fileSchema = z.strictObject({
  version: z.literal(1).describe("Version of this format."),
  include: entries
    .default([])
    .describe(
      "More files with sections of this configuration, relative to this file. Maps are merged, lists joined, nothing is overruled.",
    ),
  owners: entries.default([]).describe("People who own the gateway, as channel:account:senderId."),
  gateway: z
    .strictObject({
      host: text.default("127.0.0.1").describe("Address to listen on. Default 127.0.0.1: this machine only."),
      port: z.int().min(0).max(65_535).default(8642).describe("Port of the HTTP server. 0: any free one."),
      allowedHosts: z
        .array(
          z
            .string()
            .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i, "must be a host name alone, such as chat.example.org: no scheme, port or path"),
        )
        .default([])
        .describe("Names under which the gateway is reached besides its own address, for example through a reverse proxy."),
      maxConcurrentTurns: z.int().min(1).max(10_000).default(64).describe("Conversations that are answered at the same time."),
    })
    .prefault({}),
  store: z
    .strictObject({
      url: text.exactOptional(),
      diskFloorMb: z.int().min(0).exactOptional().describe("MB of the disk that stay free: channels are paused below it. Default 1024."),
    })
    .default({})
    .describe("Where everything is kept. Default: SQLite in the data folder."),
  network: z.strictObject({ proxy: z.string().exactOptional() }).default({}).describe("How platforms and models are reached."),
  providers: z.record(name("a provider id"), providerSchema).default({}).describe("Model servers by a name of your choice."),
  agents: z
    .strictObject({ defaults: z.strictObject(behaviour).default({}), list: z.array(agentSchema).default([]) })
    .prefault({})
    .describe("Who answers. The first agent answers where no binding says otherwise."),
  channels: z
    .record(
      z.string(),
      z.strictObject({
        // Written into the accounts when the files are read, so that what is left here is no map.
        defaults: z
          .strictObject({})
          .exactOptional()
          .describe("Keys of an account that all accounts of this channel have unless they say it themselves."),
        accounts: z.record(z.string().regex(/^[A-Za-z0-9][\w-]{0,63}$/, "an account name is letters, digits, - and _"), accountSchema),
      }),
    )
    .default({})
    .describe("Where people write. Each channel has accounts by a name of your choice."),
  bindings: z.array(bindingSchema).default([]).describe("Which agent answers where; the most specific match wins."),
  session: sessionSchema.prefault({}),
  messages: messagesSchema.prefault({}),
  commands: z
    .strictObject({ allowFrom: entries.default([]).describe("People who may use commands, as channel:account:senderId.") })
    .prefault({}),
  elevated: z
    .strictObject({ allowFrom: entries.default([]) })
    .prefault({})
    .describe("People who may approve tools."),
  markdown: markdownSchema.default({}).describe("How text is shown on all channels."),
  context: z
    .strictObject({ clarifyBelow: z.number().min(0).max(1).exactOptional(), embeddings: z.enum(["lexical"]).exactOptional() })
    .default({}),
  tools: nothingYet("Nothing can be written here yet."),
  budgets: nothingYet("Nothing can be written here yet."),
  hooks: nothingYet("Nothing can be written here yet."),
  cron: z.array(z.unknown()).max(0, "has no effect in this version and must stay empty").default([]),
  plugins: z.array(z.unknown()).max(0, "has no effect in this version and must stay empty").default([]),
  logs: z.strictObject({ level: z.enum(["debug", "info", "warn", "error"]).default("info") }).prefault({}),
});

/** Keys of the whole file, and of one agent: by them a file that belongs to a configuration is told from one that does not. */
export const FILE_KEYS: readonly string[] = Object.keys(fileSchema.shape);
export const AGENT_KEYS: readonly string[] = Object.keys(agentSchema.shape);

/** The file after its schema: defaults filled in, agents not yet merged, accounts not yet split. */
export type ConfigFile = z.output<typeof fileSchema>;
