import type { TimeoutPhase } from "./deadlines.ts";

/** Whether another attempt may help, and the next step where the cause is known. */
export interface NetworkHint {
  readonly retryable: boolean;
  readonly hint?: string;
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "Nothing listens at baseUrl: start the model server, or correct the address and port."],
  ["ENOTFOUND", "The host name of baseUrl is not known: check its spelling and the DNS."],
  ["EAI_AGAIN", "The host name of baseUrl could not be looked up: check the network and the DNS."],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "The server's certificate is for another host name: check baseUrl."],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "The server does not speak TLS at this address: baseUrl probably needs http instead of https."],
  ["CERT_HAS_EXPIRED", "The server's certificate has expired."],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "The server's certificate is self-signed: add it with NODE_EXTRA_CA_CERTS."],
  ["SELF_SIGNED_CERT_IN_CHAIN", "The server's certificate comes from an unknown authority: add it with NODE_EXTRA_CA_CERTS."],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "The server's certificate comes from an unknown authority: add it with NODE_EXTRA_CA_CERTS."],
]);

/** Causes that the same request meets again. */
const LASTING = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|UND_ERR_INVALID_ARG)/;

/** Reads the code of a broken connection. `cause` is whatever the HTTP library threw; undefined for a connection that took too long. */
export function hintForNetwork(cause: unknown, phase: TimeoutPhase): NetworkHint {
  const code = codeOf(cause);
  if (code === "UND_ERR_INVALID_ARG")
    return { retryable: false, hint: "The request cannot be written: check apiKey and headers of the provider for stray characters." };
  if (phase !== "connectMs")
    return {
      retryable: true,
      hint: "The connection broke off before the end of the answer. Try again; look at the server's log if it happens often.",
    };
  const hint = HINTS.get(code);
  return { retryable: !LASTING.test(code), ...(hint === undefined ? {} : { hint }) };
}

function codeOf(cause: unknown): string {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "";
}
