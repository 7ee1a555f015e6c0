const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");
const list = (count: number, entry: (index: number) => string): string => `[${times(count, entry).replaceAll("\n", ", ")}]`;

/** Files of up to a megabyte, each of which would keep a program busy for long that looks at all of it. For tests only. */
export const LARGE_CONFIGS: Readonly<Record<string, string>> = {
  "unknown keys by the ten thousand": `version: 1\n${times(60_000, (index) => `key${index}: 1`)}`,
  "as many unknown keys as are looked at": `version: 1\n${times(9900, (index) => `key${index}: 1`)}`,
  "one key again and again": `version: 1\n${times(9900, () => "gateway: 1")}`,
  "brackets in brackets": `version: 1\nowners: ${"[".repeat(500_000)}`,
  "as many brackets as are looked at": `version: 1\nowners: ${"[".repeat(9900)}${"]".repeat(9900)}`,
  "levels of keys": `version: 1\n${times(900, (index) => `${" ".repeat(index)}a:`)}`,
  "dashes in a row": `version: 1\nowners: ${"- ".repeat(300_000)}`,
  "aliases of aliases": `version: 1\n${[..."abcdefghij"].map((name, index, all) => `${name}: &${name} ${list(9, () => (index === 0 ? "x" : `*${all[index - 1]}`))}`).join("\n")}`,
  "aliases of one value": `version: 1\na: &a x\nowners:\n${times(60_000, () => "  - *a")}`,
  "merged keys": `version: 1\nbase: &base { key: 1 }\ngateway:\n${times(5000, () => "  <<: *base")}`,
  "agents and bindings that do not match": `version: 1\nagents:\n  list:\n${times(1300, (index) => `    - { id: a${index} }`)}\nbindings:\n${times(1300, (index) => `  - { agent: b${index}, match: {} }`)}`,
  "unquoted ids": `version: 1\nchannels: { telegram: { accounts: { main: { allowFrom: ${list(15_000, (index) => String(10_000 + index))} } } } }`,
  "ids that cannot be any": `version: 1\nchannels: { telegram: { accounts: { main: { allowFrom: ${list(15_000, (index) => `"@name${index}"`)} } } } }`,
  "accounts with mistakes": `version: 1\nchannels:\n  telegram:\n    accounts:\n${times(2500, (index) => `      a${index}: { token: x, bogus: 1 }`)}`,
  "variables that are not set": `version: 1\nowners: ["${"${NOPE}".repeat(100_000)}"]`,
  "lines that are indented anyhow": `version: 1\n${times(15_000, (index) => (index % 2 === 0 ? "b: 1" : "  a: 1"))}`,
  "lines with tabs": `version: 1\n${times(7000, () => "\ta: 1")}`,
  "one endless line": `version: 1\nowners: ${"a".repeat(1_000_000)}`,
  "one endless key": `version: 1\n${"a".repeat(1_000_000)}: 1`,
  "includes by the thousand": `version: 1\ninclude: ${list(7000, (index) => `./x${index}.yaml`)}`,
};
