/** Whole messages that mean "stop what you are doing" while a turn runs. */
export const STOP_WORDS: readonly string[] = ["stop", "abort", "esc", "interrupt", "wait", "exit", "停止", "取消", "停"];

/**
 * Whether a message is, whole, a request to stop: `command` for /stop (the channel took our own name behind it away),
 * `word` for a bare stop word. "please stop" and "note: stop" are ordinary text. Pure.
 */
export function stopRequestIn(text: string, words: readonly string[] = STOP_WORDS): "command" | "word" | undefined {
  const whole = text.trim().toLowerCase();
  if (/^[/!]stop:?$/.test(whole)) return "command";
  return words.some((word) => word.trim().toLowerCase() === whole) ? "word" : undefined;
}
