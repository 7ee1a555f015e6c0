// @ts-check

const paragraph = "Some **bold** and *italic* words with `code`, a [link](https://example.com/a) and more text to read.\n\n";

/**
 * Texts that cost much when something is looked at again and again: how often the piece is repeated, and the text of so many.
 * @type {Readonly<Record<string, readonly [times: number, text: (times: number) => string]>>}
 */
export const LARGE_TEXTS = {
  "1 MB of ordinary text": [10_000, (times) => paragraph.repeat(times)],
  "1 MB without a break": [1_000_000, (times) => "x".repeat(times)],
  "10,000 nested quotes": [10_000, (times) => `${"> ".repeat(times)}x`],
  "10,000 nested emphases": [10_000, (times) => `${"*a ".repeat(times)}x${" a*".repeat(times)}`],
  "10,000 nested brackets": [10_000, (times) => `${"[".repeat(times)}x${"]".repeat(times)}`],
  "10,000 links that never end": [10_000, (times) => "[a](".repeat(times)],
  "10,000 spoilers": [10_000, (times) => "||a|| ".repeat(times)],
  "10,000 styles without a space between": [5000, (times) => "**a***b*".repeat(times)],
  "a line of code of 100,000 characters": [100_000, (times) => `\`\`\`\n${"x".repeat(times)}\n\`\`\``],
  "a table of 500 rows": [500, (times) => `| A | B |\n|---|---|\n${"| a **b** | [c](https://example.com) |\n".repeat(times)}`],
  "bold over 20,000 lines": [20_000, (times) => `**${"line\n".repeat(times)}x**`],
  "100,000 marks on one letter": [100_000, (times) => `a${"\u0301".repeat(times)}`],
};
