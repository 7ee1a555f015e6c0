import fc from "fast-check";

const word = fc.constantFrom("alpha", "beta,", "Gamma.", "名前", "重要。", "été", "👨‍👩‍👧", "🇩🇪", "👍🏽", "שלום", "a_b_c", "1.5", "x");

/** One to twelve words of several scripts, with emoji of several characters. */
export const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "));

const inline: fc.Arbitrary<string> = fc.oneof(
  words,
  words.map((text) => `**${text}**`),
  words.map((text) => `*${text}*`),
  words.map((text) => `~~${text}~~`),
  words.map((text) => `||${text}||`),
  words.map((text) => `\`${text}\``),
  words.map((text) => `**a *${text}* b**`),
  words.map((text) => `[${text}](https://example.com/${text.length}?a=1&b=2)`),
  fc.constantFrom(
    "https://example.com/a_b",
    "[x](javascript:alert(1))",
    "[m](mailto:a@example.com)",
    "README.md",
    "$x^2$",
    "![pic](https://e.example/p.png)",
    "[https://bank.example](https://evil.example)",
    "<b>&amp;",
    "\\*",
    ":rocket:",
    "[a**b**](https://example.com)**c**",
    "`*`",
    "un**believ**able",
    "<@123456789012345678>",
  ),
);

/** One line of inline Markdown. */
export const line = fc.array(inline, { minLength: 1, maxLength: 6 }).map((list) => list.join(" "));

/** One block. Nothing in it depends on what comes later. */
export const block: fc.Arbitrary<string> = fc.oneof(
  line,
  fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([level, text]) => `${"#".repeat(level)} ${text}`),
  fc.array(line, { minLength: 1, maxLength: 6 }).map((items) => items.map((item) => `- ${item}`).join("\n")),
  fc
    .array(line, { minLength: 1, maxLength: 4 })
    .map((items) => items.map((item, i) => `${i + 7}. ${item}\n   - [x] sub ${i}\n   - ${item}`).join("\n")),
  fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.map((text) => `> ${text}`).join("\n")),
  line.map((text) => `> quote\n>\n> > inner ${text}\n> > more\n>\n> - ${text}`),
  words.map((text) => `> \`\`\`py\n> ${text}\n>\n> x\n> \`\`\``),
  fc
    .array(words, { minLength: 1, maxLength: 8 })
    .map((lines) => `\`\`\`ts\n${lines.map((text, i) => " ".repeat(i % 3) + text).join("\n")}\n\`\`\``),
  fc
    .array(fc.tuple(words, words), { minLength: 1, maxLength: 5 })
    .map((rows) => `| A | B |\n|---|--:|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join("\n")}`),
  fc.constantFrom("***", "- a\n-\n- b", "- item\n  > quoted", "$$\nx\n$$", "a  \nb", "- ```\n  code\n  ```", "a\nb\n==="),
);

const withNotes = fc.oneof({ arbitrary: block, weight: 20 }, { arbitrary: fc.constant("A[^1]\n\n[^1]: note"), weight: 1 });

/** A document of up to ten blocks. */
export const documents = fc.array(withNotes, { minLength: 1, maxLength: 8 }).map((blocks) => blocks.join("\n\n"));

/** Characters that mean something, in any order. */
export const noise = fc.string({ unit: fc.constantFrom(..."*_~`|[]()<>!#-+.\\$^:&;>\n\t 1axé名\u202e\u0301"), maxLength: 300 });

/** Any text at all. */
export const anything = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), noise, documents);

/** Limits of one message, small enough to cut often. */
export const limits = fc.oneof(fc.integer({ min: 80, max: 400 }), fc.constant(2000));
