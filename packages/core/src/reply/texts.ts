import { type GatewayError, isGatewayError } from "@trunkline/plugin-sdk";

/** The gateway's own sentences. `messages.texts` of the config replaces them one by one. */
export const TEXTS = {
  failed: "Something went wrong on my side. Please try again.",
  modelUnavailable: "I cannot reach my language model right now. Please try again in a moment.",
  modelAuth: "My language model refused the gateway's key. The owner of this bot has to look at it.",
  modelSetup: "My language model does not work as it is set up. The owner of this bot has to look at it.",
  modelSteps: "That took more steps than I may take for one answer, so I stopped. Please ask for less at once.",
  modelTimeout: "My language model did not answer in time. Please try again.",
  modelOverflow: "This conversation has become too long for my language model. Send /new to start afresh.",
  modelRefused: "My language model declined to answer that.",
  interrupted: "The answer broke off here: the connection to my language model was lost.",
  crashing: "I could not finish this message after several tries, so I have put it aside. Please try it differently.",
  commandDenied: "You may talk with me here, but not use commands.",
  empty: "I have nothing to say to that.",
  undelivered: "A part of my answer could not be delivered here.",
  pairing: "I do not know you yet. Give this code to the owner of this bot, and they can let you in: `{code}`. It is valid for one hour.",
  approved: "You have been let in. Just write.",
  alertAccount: "**{account}** needs you: {problem} {hint}",
  alertStore: "I take no new messages until this is mended: {problem} {hint}",
  alertDeadLetter: "A message of mine on **{account}** could not be delivered ({problem}). `trunkline dlq show {part}` tells more.",
} as const;

export type TextName = keyof typeof TEXTS;

/** The sentence under a name, as configured. */
export function textOf(name: TextName, texts: Readonly<Record<string, string>>): string {
  return texts[name] ?? TEXTS[name];
}

/** A sentence with its `{names}` filled in. A value that the configured sentence leaves out stands behind it: it must not be lost. */
export function filledText(name: TextName, texts: Readonly<Record<string, string>>, values: Readonly<Record<string, string>>): string {
  const sentence = textOf(name, texts);
  const missing = Object.keys(values).filter((key) => !sentence.includes(`{${key}}`));
  const filled = sentence.replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
  return [filled, ...missing.map((key) => values[key])].join(" ");
}

/** The sentence that tells a person about a failed turn. Nothing of the provider's own words is in it. */
export function textNameOf(error: GatewayError): TextName {
  if (isGatewayError(error, "MODEL_AUTH")) return "modelAuth";
  if (isGatewayError(error, "MODEL_BILLING", "MODEL_UNKNOWN", "MODEL_BAD_REQUEST")) return "modelSetup";
  if (isGatewayError(error, "MODEL_STEPS_EXHAUSTED")) return "modelSteps";
  if (isGatewayError(error, "MODEL_TIMEOUT")) return "modelTimeout";
  if (isGatewayError(error, "MODEL_CONTEXT_OVERFLOW")) return "modelOverflow";
  if (isGatewayError(error, "MODEL_REFUSED")) return "modelRefused";
  if (isGatewayError(error, "MODEL_RATE_LIMITED", "MODEL_OVERLOADED", "MODEL_NETWORK", "MODEL_BAD_RESPONSE")) return "modelUnavailable";
  return "failed";
}
