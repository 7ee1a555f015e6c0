/** Values of a list that are shown; what is more becomes an ellipsis. */
const LIST_VALUES = 3;
/** Values of a list that are looked at. */
const LOOKED_AT = 20;

/** What of a tool call's arguments is shown, in order: flags that are set, then values. */
export interface Details {
  readonly flags: readonly string[];
  readonly values: readonly { readonly label: string; readonly value: string }[];
}

/**
 * The arguments that the keys name (`path`, `job.name`), in words. Of a text the first line, of a list the first values; what is false, 0
 * or empty says nothing. A flag that is set counts whether or not a key names it.
 */
export function detailsOf(args: unknown, keys: readonly string[]): Details {
  const top = isRecord(args) ? args : {};
  const flags = Object.keys(top).filter((key) => top[key] === true);
  const values = keys.flatMap((key) => {
    const value = inWords(valueAt(top, key));
    return value === undefined ? [] : [{ label: labelOf(key), value }];
  });
  return { flags: flags.map(labelOf), values };
}

function valueAt(args: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), args);
}

function inWords(value: unknown): string | undefined {
  if (typeof value === "string") return firstLine(value);
  if (typeof value === "number" && value !== 0) return String(value);
  if (!Array.isArray(value)) return undefined;
  // Lists in lists are not for one line, and a model may nest them as deeply as it likes.
  const words = value.slice(0, LOOKED_AT).flatMap((one) => (Array.isArray(one) ? [] : (inWords(one) ?? [])));
  if (words.length === 0) return undefined;
  return words.slice(0, LIST_VALUES).join(", ") + (words.length > LIST_VALUES ? "…" : "");
}

function firstLine(text: string): string | undefined {
  const line = text.trim().split(/\r?\n/, 1)[0]?.trim() ?? "";
  return line === "" ? undefined : line;
}

/** A key as a word for people: `messageId` is "message", `includeTools` "tools", `maxChars` "max chars". */
function labelOf(key: string): string {
  const last = key.split(".").at(-1) ?? key;
  const bare = last.replace(/(?<=[a-z])(?:Id|Key)$/, "").replace(/^include(?=[A-Z])/, "");
  return bare
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
