import { GatewayError } from "@trunkline/plugin-sdk";
import type { ProviderErrors } from "../provider-errors.ts";

/**
 * What a package threw or streamed as an error, as one of ours. Refusals by status and broken connections are ours already, since the
 * package's `fetch` is ours; left are errors inside an answer, answers that do not fit the protocol, and requests that the package
 * itself refuses.
 */
export function toModelError(error: unknown, errors: ProviderErrors): GatewayError {
  const ours = findOurs(error);
  if (ours !== undefined) return ours;
  if (typeof error !== "object" || error === null) return errors.inAnswer({ message: String(error).slice(0, 200) });
  const { name, statusCode, responseBody } = error as { name?: unknown; statusCode?: unknown; responseBody?: unknown };
  const status = typeof statusCode === "number" && statusCode >= 400 ? statusCode : undefined;
  // An error that came in a 200: the package has wrapped it, and some give it a status of their own invention.
  if (typeof responseBody === "string") {
    const inner = errorIn(responseBody);
    return isUnreadable(inner) ? errors.unreadable(UNREADABLE) : errors.inAnswer(inner, status);
  }
  if (name === "AI_InvalidArgumentError" || name === "AI_InvalidPromptError" || name === "AI_UnsupportedFunctionalityError")
    return errors.unsayable(error);
  if (isUnreadable(error)) return errors.unreadable(UNREADABLE);
  // A key or header that cannot be sent; the message would show it.
  if (error instanceof TypeError && /header/i.test(error.message)) return errors.network({ code: "UND_ERR_INVALID_ARG" }, "connectMs");
  if (!(error instanceof Error) || "data" in error) return errors.inAnswer(innermost(error));
  return errors.unreadable(`something that ends in ${error.name.slice(0, 60)}`);
}

const UNREADABLE = "an event that does not fit the protocol";

/** The package's own errors about what it read. Their messages have the model's text in them. */
function isUnreadable(error: unknown): boolean {
  const name = typeof error === "object" && error !== null && "name" in error ? error.name : undefined;
  return typeof name === "string" && /^AI_.*(?:JSONParse|TypeValidation|InvalidResponse|EmptyResponse|NoContent)/.test(name);
}

/** Our own error, however often the package wrapped it. */
function findOurs(error: unknown, depth = 5): GatewayError | undefined {
  if (error instanceof GatewayError) return error;
  return error instanceof Error && error.cause !== undefined && depth > 0 ? findOurs(error.cause, depth - 1) : undefined;
}

function errorIn(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return innermost(value);
  } catch {
    return { message: body };
  }
}

/** OpenAI's and Google's error events hold the error in `error` or `response.error`, and their packages in `data`. */
function innermost(value: unknown, depth = 4): unknown {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  const { error, response, data } = value as { error?: unknown; response?: unknown; data?: unknown };
  const inner = [error, response, data].find((one) => typeof one === "object" && one !== null);
  return inner === undefined ? value : innermost(inner, depth - 1);
}
