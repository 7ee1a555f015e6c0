/** Providers that exist as soon as their key is in the environment, by their id, which is also their type; the first variable that is set counts. */
export const KEY_VARIABLES = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
} as const;

/** The variables that would bring a provider into being; none for one that has to be configured. */
export function keyVariablesOf(provider: string): readonly string[] {
  return Object.hasOwn(KEY_VARIABLES, provider) ? KEY_VARIABLES[provider as keyof typeof KEY_VARIABLES] : [];
}
