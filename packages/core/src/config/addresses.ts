import { postgresUrlProblem } from "./postgres-url.ts";
import type { ConfigProblem } from "./problem.ts";
import { mapOf, valueAt } from "./tree.ts";

/** Why an address cannot be used, and the next step. Neither repeats the address: it may hold a password. */
export interface AddressFault {
  readonly message: string;
  readonly hint: string;
}

/** What is wrong with the address of a model server; undefined when it can be called. */
export function baseUrlFault(text: string): AddressFault | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    return { message: "must be a URL that starts with http:// or https://", hint: "For example http://127.0.0.1:11434/v1." };
  if (url.username !== "" || url.password !== "")
    return { message: "the address contains a user or password", hint: "Put the key into apiKey, or a whole authorization into headers." };
  return undefined;
}

/** What is wrong with the address of a proxy; undefined when it can be used. The empty text is no proxy. */
export function proxyFault(text: string): AddressFault | undefined {
  if (text === "" || (URL.canParse(text) && /^(?:https?|socks5):$/.test(new URL(text).protocol) && new URL(text).hostname !== ""))
    return undefined;
  return { message: "must be a URL that starts with http://, https:// or socks5://", hint: "For example http://proxy.example.org:3128." };
}

/** What is wrong with the address of a database; undefined when it can be opened, as far as its words go. */
export function storeUrlFault(text: string): AddressFault | undefined {
  if (text.startsWith("sqlite:")) {
    const path = text.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
    return path !== "" && path !== ":memory:"
      ? undefined
      : {
          message: "the path of the database is missing",
          hint: "Write the path of the file after sqlite:, such as sqlite:./data/trunkline.db.",
        };
  }
  if (/^postgres(?:ql)?:/.test(text)) {
    const problem = postgresUrlProblem(text);
    return problem === undefined ? undefined : { message: problem, hint: "For example postgres://user:password@host:5432/database." };
  }
  return {
    message: "must be sqlite: and a path, or a postgres:// address",
    hint: "For example sqlite:./data/trunkline.db or postgres://user:password@host/database.",
  };
}

/** What is wrong with an address to listen on; undefined when it can be one. */
export function hostFault(text: string): AddressFault | undefined {
  if (/^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[?[0-9a-f]*(?::[0-9a-f.]*){2,8}(?:%\w+)?\]?)$/i.test(text)) return undefined;
  return {
    message: "must be a host name or an address alone: no scheme, port or path",
    hint: "For example 127.0.0.1; the port stands beside it.",
  };
}

/** Addresses with which the gateway could not start. Reads the raw tree. */
export function addressProblems(tree: unknown): readonly ConfigProblem[] {
  const at = (path: ConfigProblem["path"], faultOf: (text: string) => AddressFault | undefined): readonly ConfigProblem[] => {
    const text = valueAt(tree, path);
    // An empty one has been refused where it may not be.
    const fault = typeof text === "string" && text !== "" ? faultOf(text) : undefined;
    return fault === undefined ? [] : [{ code: "CONFIG_INVALID", path, ...fault }];
  };
  return [
    ...at(["gateway", "host"], hostFault),
    ...at(["store", "url"], storeUrlFault),
    ...at(["network", "proxy"], proxyFault),
    ...Object.keys(mapOf(valueAt(tree, ["providers"]))).flatMap((id) => at(["providers", id, "baseUrl"], baseUrlFault)),
  ];
}
