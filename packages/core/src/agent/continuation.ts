import type { ModelMessage, ModelStep } from "@trunkline/plugin-sdk";
import { joinAtSeam } from "../journal/seam.ts";

const NOTE =
  "(The connection broke off. Your answer so far, above, has been delivered already. Go on exactly where it ends, without repeating any of it, and without a word about the interruption. If nothing is missing, stay silent, in the way described at the beginning.)";

/**
 * What a model is asked with so that it goes on behind a text that people have. The last message is the user's: a trailing answer would
 * be taken for one that is over, and some providers refuse it. Pure.
 */
export function goOnBehind(delivered: string): readonly ModelMessage[] {
  return [
    { role: "assistant", text: delivered },
    { role: "user", text: NOTE },
  ];
}

/**
 * The step as if it had been made at once. What its provider attached goes: it belongs to a text that is not there like that. Pure.
 */
export function stepBehind(delivered: string, { message: { opaque: _opaque, ...message }, ...step }: ModelStep): ModelStep {
  return { ...step, message: { ...message, text: joinAtSeam(delivered, message.text) } };
}
