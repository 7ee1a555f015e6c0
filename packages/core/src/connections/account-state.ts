import { type AccountState, describeError, type GatewayError } from "@trunkline/plugin-sdk";
import type { ConnectionsDeps } from "./deps.ts";

/** How an account is doing; what `trunkline status` prints. Times are ms UTC, null before the first. */
export interface AccountStatus {
  readonly channel: string;
  readonly account: string;
  readonly state: AccountState;
  /** When the platform last showed that it is there: an event, a returned poll, an answered call. */
  readonly lastSignAt: number | null;
  readonly lastInboundAt: number | null;
  readonly lastOutboundAt: number | null;
  readonly lastError: { readonly code: string; readonly message: string; readonly hint: string; readonly at: number } | null;
}

/** An account that is not well for this long is told to the owner, ms: a restart of the other gateway or a short outage is over by then. */
export const TROUBLE_MS = 5 * 60 * 1000;

/** The state of one account as it is reported, with what follows from it for people. */
export interface AccountStateLog {
  status(): AccountStatus;
  change(state: AccountState, error?: GatewayError): void;
  note(times: Partial<Pick<AccountStatus, "lastSignAt" | "lastInboundAt" | "lastOutboundAt">>): void;
  /** Nobody is told any more. */
  close(): void;
}

/** Creates the log of an account that is stopped. */
export function createAccountStateLog(channel: string, account: string, deps: ConnectionsDeps): AccountStateLog {
  const { clock, logger } = deps;
  let status: AccountStatus = {
    channel,
    account,
    state: "stopped",
    lastSignAt: null,
    lastInboundAt: null,
    lastOutboundAt: null,
    lastError: null,
  };
  let trouble: GatewayError | undefined;
  let cancel: (() => void) | undefined;
  const calm = (): void => {
    cancel?.();
    cancel = undefined;
    trouble = undefined;
  };
  /** Once in a row of troubles. A start in between does not end the row. */
  const worry = (error: GatewayError): void => {
    trouble = error;
    cancel ??= clock.timer(TROUBLE_MS, () => {
      if (trouble) deps.onNeedsOperator(channel, account, trouble);
    });
  };
  return {
    status: () => status,
    change(state, error) {
      if (status.state !== state || error) {
        const log = error ? logger.warn : logger.info;
        log.call(
          logger,
          { channel, account, state, code: error?.code, error: error && describeError(error), hint: error?.hint },
          `account is ${state}`,
        );
        deps.onState(channel, account, state, error);
      }
      const lastError = error ? { code: error.code, message: error.message, hint: error.hint, at: clock.now() } : status.lastError;
      status = { ...status, state, lastError };
      if (state === "connected" || state === "stopped" || state === "needs-operator") calm();
      // What the store refuses is told once, for all accounts.
      else if (error && !error.code.startsWith("STORE_")) worry(error);
      if (state === "needs-operator" && error) deps.onNeedsOperator(channel, account, error);
    },
    note(times) {
      status = { ...status, ...times };
    },
    close: calm,
  };
}
