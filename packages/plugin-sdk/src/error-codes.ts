/**
 * Every error that a person can meet: what happened in one sentence, and the next step.
 * docs/errors.md documents exactly these codes; a test compares both ways. `{name}` is filled from the error's detail.
 */
export const ERROR_CODES = {
  CONFIG_FILE_UNREADABLE: [
    "The configuration file {file} cannot be read.",
    "Check the path and its permissions, or start without --config to use the built-in demo.",
  ],
  CONFIG_SYNTAX: ["The configuration is not valid YAML.", "Fix the line that is shown; indentation is by spaces."],
  CONFIG_INVALID: ["The configuration has errors.", "Fix the lines that are shown, then run `trunkline check`."],
  CONFIG_VARIABLE_MISSING: ["The environment variable {name} is not set.", "Set it, or write ${VAR:-default} in the configuration."],
  CONFIG_SECRET_UNREADABLE: ["The secret file {file} cannot be read.", "Check the path after `file:` and its permissions."],
  CONFIG_WRITE_FAILED: ["The configuration file {file} cannot be written: {reason}.", "Check the permissions of the file and its folder."],
  CONFIG_PATH_UNKNOWN: ["There is no {path} in the configuration.", "`trunkline config schema` has every key."],
  CONFIG_READABLE_BY_OTHERS: [
    "A secret stands in {file}, which other users of this machine can read.",
    "Run: chmod 600 {file} (`trunkline doctor --fix` does it).",
  ],
  PLUGIN_DUPLICATE_ID: ["Two plugins provide the {kind} {id}: {first} and {second}.", "Remove one of them from `plugins:`."],
  PLUGIN_API_VERSION: [
    "The plugin {plugin} needs plugin API {wanted}, and this gateway has {have}.",
    "Install a version of the plugin that fits.",
  ],
  PLUGIN_LOAD_FAILED: ["The plugin {plugin} could not be loaded.", "Check that it is installed; the log has the cause."],
  PLUGIN_TOKEN_MISSING: ["Nothing provides {token}.", "Register the plugin that provides it before it is used."],
  CHANNEL_UNKNOWN: ["There is no channel {channel}.", "Use a channel that is installed, by the name that the configuration uses."],
  CHANNEL_RENDERS_ONLY: [
    "{channel} has no connection yet: this version only shows how answers would look there.",
    "Take channels.{id} out of the configuration; `trunkline render --channel {id} FILE` shows a text as it would be sent.",
  ],
  CHANNEL_TOKEN_REJECTED: [
    "{channel} refused the token of account {account}.",
    "Create a new token on the platform and put it into the configuration.",
  ],
  CHANNEL_CONFLICT: [
    "Another program receives the messages of {channel} account {account}.",
    "Stop the other gateway or bot that uses this token, or remove its webhook.",
  ],
  CHANNEL_UNREACHABLE: [
    "{channel} cannot be reached for account {account}.",
    "Check the network and the platform's status; the gateway keeps trying.",
  ],
  CHANNEL_SILENT: [
    "{channel} account {account} has heard nothing for {seconds} s, not even a sign that the connection stands.",
    "Nothing to do: the connection is made anew. If it happens often, look for what cuts idle connections: a proxy, a firewall, a VPN.",
  ],
  CHANNEL_FAILED: ["The {channel} account {account} failed.", "The log has the cause; the gateway restarts the account."],
  CHANNEL_TARGET_INVALID: ["{target} is not a conversation of {channel}.", "Use the platform's id; /whoami in the conversation shows it."],
  MODEL_UNKNOWN: ["There is no model {model}.", "Write provider/model with a provider from `providers:`, or demo/guide."],
  MODEL_AUTH: ["The model provider {provider} refused the key.", "Check apiKey of the provider in the configuration."],
  MODEL_BILLING: [
    "The account at the model provider {provider} has no credit left.",
    "Check billing and limits at the provider, or add a fallback model.",
  ],
  MODEL_RATE_LIMITED: ["The model provider {provider} is rate limiting.", "Wait, or add a fallback model."],
  MODEL_OVERLOADED: ["The model provider {provider} is overloaded.", "Wait, or add a fallback model."],
  MODEL_TIMEOUT: ["The model {model} did not answer in time.", "Try again; raise timeouts of the provider if it is just slow."],
  MODEL_NETWORK: ["The model provider {provider} cannot be reached.", "Check baseUrl and that the server runs."],
  MODEL_CONTEXT_OVERFLOW: ["The conversation is too long for {model}.", "Start afresh with /new."],
  MODEL_REFUSED: ["The model {model} refused to answer.", "Rephrase the request."],
  MODEL_BAD_REQUEST: [
    "The model provider {provider} rejected the request.",
    "Check model name and params in the configuration; the log has the details.",
  ],
  MODEL_BAD_RESPONSE: [
    "The model provider {provider} sent an answer that cannot be understood.",
    "Check baseUrl and type of the provider in the configuration.",
  ],
  MODEL_STEPS_EXHAUSTED: ["The agent took more than {limit} steps in one turn.", "Ask for less at once."],
  TOOL_UNKNOWN: ["There is no tool {tool}.", "Use one of the listed tools."],
  TOOL_ARGUMENTS_INVALID: ["The arguments of tool {tool} are invalid.", "Follow the schema of the tool."],
  TOOL_FAILED: ["The tool {tool} failed.", "Try other arguments; the log has the cause."],
  TOOL_TARGET_REFUSED: [
    "A message to {target} is not allowed, or there is no such conversation.",
    "Agents write to their own conversation; for people who may use commands also to listed groups, people on the allow list, and owners.",
  ],
  DELIVERY_SENDER_GONE: [
    "{channel}:{account} is another bot now, and this answers a message to {sender}, which no account is any more.",
    "Give an account the token of {sender} for its later answers; each bot answers only what was written to it.",
  ],
  DELIVERY_RETRY: ["{channel} could not take the message now.", "Nothing to do: it is tried again."],
  DELIVERY_REFUSED: [
    "{channel} refused the message: {reason}.",
    "Fix the cause on the platform, then retry the message (trunkline dlq retry).",
  ],
  DELIVERY_NO_ACCESS: [
    "{channel} does not let the bot write into this chat: {reason}.",
    "Let the bot in again, or have the person open its chat, then retry the message (trunkline dlq retry).",
  ],
  DELIVERY_POISON: [
    "The gateway ended {times} times while it sent this message.",
    "Look at the log for the cause; trunkline dlq retry tries it again.",
  ],
  DELIVERY_EDIT_GONE: ["The message to edit no longer exists on {channel}.", "Nothing to do: it is sent as a new message."],
  DELIVERY_PART_UNKNOWN: ["No dead letter has the id {id}.", "trunkline dlq list shows those that there are."],
  DELIVERY_MARKUP_REFUSED: ["{channel} refused the formatting of the message.", "Nothing to do: it is sent once more as plain text."],
  DELIVERY_TOO_LONG: ["{channel} found the message too long.", "Nothing to do: it is split further."],
  DELIVERY_THREAD_GONE: ["The thread of the message no longer exists on {channel}.", "Nothing to do: it is sent to the chat itself."],
  DELIVERY_REPLY_GONE: ["The quoted message no longer exists on {channel}.", "Nothing to do: it is sent without the quote."],
  DELIVERY_OUTCOME_UNKNOWN: [
    "It is not known whether {channel} took the message.",
    "Nothing to do: the gateway looks for it before it sends again.",
  ],
  DELIVERY_MEDIA_REFUSED: ["The file {file} cannot be sent.", "Check that it exists and is within the size limit."],
  STORE_UNAVAILABLE: ["The data folder {path} cannot be used.", "Check that it exists, is writable, and is on a local disk."],
  STORE_FULL: ["There is no space left for {path}.", "Free some space; nothing is acknowledged that is not stored."],
  STORE_DISK_LOW: [
    "Only {free} MB of the disk are free, and {floor} MB are kept free.",
    "Free some space; channels wait meanwhile and go on by themselves. store.diskFloorMb sets how much is kept free.",
  ],
  STORE_BACKLOG: [
    "{rows} messages and answers are open, and {limit} are the most.",
    "`trunkline status` shows which account or model holds them up; channels wait meanwhile and go on by themselves.",
  ],
  STORE_LOCKED: [
    "Another gateway runs on the data folder {path}.",
    "Stop it first (`trunkline status` shows it), or start with another --data.",
  ],
  STORE_BACKUP_EXISTS: ["There is a file {file} already.", "Choose another name: a backup never replaces a file."],
  STORE_BACKUP_UNUSABLE: ["{file} cannot be restored: {reason}.", "`trunkline store status` lists the backups. Nothing was changed."],
  STORE_UNREACHABLE: [
    "The database {path} cannot be reached: {reason}.",
    "Check host and port in store.url, and that PostgreSQL runs. A gateway that runs keeps trying.",
  ],
  STORE_REFUSED: ["PostgreSQL refuses {path}: {reason}.", "Check user, password and database in store.url, and the user's rights."],
  STORE_TLS: [
    "There is no trusted encrypted connection to {path}: {reason}.",
    "Name the authority's certificate with sslrootcert=/path/ca.pem in store.url. sslmode=no-verify trusts any server.",
  ],
  STORE_UNSUITABLE: ["{path} cannot hold the store: {reason}.", "Use PostgreSQL 14 or newer with a database in UTF8."],
  STORE_IN_USE: [
    "Another gateway uses the database {path} ({holder}).",
    "Stop that one first, or name another database in store.url: one gateway runs on a database.",
  ],
  STORE_CHANGED: [
    "The database {path} is not as this gateway left it: {reason}.",
    "Nothing more is stored, and the gateway stops. Start it again when no other one uses the database.",
  ],
  STORE_NEWER: [
    "The database is of a newer version ({found}; this gateway knows {known}).",
    "Update Trunkline, or restore a backup of the older version.",
  ],
  STORE_OPEN_TO_OTHERS: ["Other users of this machine can get at {path}.", "Run: chmod {mode} {path} (`trunkline doctor --fix` does it)."],
  STORE_CORRUPT: ["The database {path} is damaged or not a database.", "Restore a backup from the backups folder."],
  STORE_FAILED: ["The store failed.", "The log has the cause; nothing that was acknowledged is lost."],
  ACCESS_DENIED: ["This is not allowed.", "Ask the owner of this gateway."],
  ACCESS_TOKEN_INVALID: ["The access token is missing or wrong.", "Open the link that `trunkline web link` prints."],
  ACCESS_CODE_UNKNOWN: [
    "No request with the code {code} waits on {channel}.",
    "`trunkline pairing list` shows what waits. A code is valid for one hour and works once.",
  ],
  ACCESS_ENTRY_UNKNOWN: [
    "{sender} was not let in on {account}.",
    "`trunkline access list` shows who was. People in allowFrom and owners are in the configuration.",
  ],
  GATEWAY_PORT_BUSY: ["The port {port} on {host} is in use.", "Stop the program that uses it, or choose another with --port."],
  GATEWAY_PORT_DENIED: ["The address {host}:{port} cannot be used.", "Choose an address of this machine and a port above 1023."],
  GATEWAY_NOT_RUNNING: [
    "No gateway runs on the data folder {path}.",
    "Start it with `trunkline start`; one that was started with --data is asked with the same --data.",
  ],
  GATEWAY_SOCKET_STALE: [
    "A gateway that was killed left the socket {path}.",
    "Remove it (`trunkline doctor --fix` does it), or just start the gateway.",
  ],
  GATEWAY_NODE_TOO_OLD: [
    "This is Node {found}, and Trunkline needs {needed} or newer.",
    "Install a newer Node, from nodejs.org for example.",
  ],
  GATEWAY_CANCELLED: ["Nothing was written.", "Run the command again when you are ready."],
  GATEWAY_USAGE: ["The command line is wrong: {reason}.", "See `trunkline --help`."],
  GATEWAY_NOT_FOUND: [
    "Nothing is known about {id}.",
    "Use an id from the log, a link to the message, channel:account:conversation/messageId, or `last`.",
  ],
  GATEWAY_BUG: ["An internal error happened.", "Please report it with the log; nothing that was acknowledged is lost."],
} as const satisfies Record<string, readonly [message: string, hint: string]>;

/** A code of the table. Families: CONFIG_ PLUGIN_ CHANNEL_ MODEL_ TOOL_ DELIVERY_ STORE_ ACCESS_ GATEWAY_. */
export type ErrorCode = keyof typeof ERROR_CODES;
