/** Kinds of model that `trunkline init` sets up. */
export const MODEL_KINDS = ["demo", "openai-compatible", "anthropic", "openai", "google"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** Where a secret is kept: in an environment variable, or in a file that only its owner can read. */
export type SecretPlace = { readonly in: "env"; readonly name: string } | { readonly in: "file"; readonly value: string };

export interface ModelAnswer {
  readonly kind: Exclude<ModelKind, "demo">;
  /** Only of an OpenAI-compatible server. */
  readonly baseUrl?: string;
  /** Absent when the server wants no key. */
  readonly key?: SecretPlace;
  /** The provider's name for it. */
  readonly model: string;
}

export interface TelegramAnswer {
  readonly token: SecretPlace;
  /** Another Bot API server than the public one. */
  readonly apiRoot?: string;
}

/** What a new configuration is made from. */
export interface InitAnswers {
  readonly agentName: string;
  /** Absent: the scripted demo. */
  readonly model?: ModelAnswer;
  readonly telegram?: TelegramAnswer;
}

/** The names under which people know them, and what to suggest. */
export const MODEL_CHOICES: Readonly<
  Record<ModelKind, { readonly label: string; readonly id: string; readonly model: string; readonly variable: string }>
> = {
  demo: { label: "the built-in demo: scripted, no key, no network", id: "demo", model: "guide", variable: "" },
  "openai-compatible": {
    label: "a server with an OpenAI-compatible API (Ollama, vLLM, OpenRouter, ...)",
    id: "local",
    model: "llama3.2",
    variable: "MODEL_KEY",
  },
  anthropic: { label: "Anthropic", id: "anthropic", model: "claude-sonnet-5", variable: "ANTHROPIC_API_KEY" },
  openai: { label: "OpenAI", id: "openai", model: "gpt-5.2", variable: "OPENAI_API_KEY" },
  google: { label: "Google", id: "google", model: "gemini-3.8-flash", variable: "GEMINI_API_KEY" },
};
