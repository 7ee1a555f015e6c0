import type { AccountState, ChannelHost, GatewayError } from "@trunkline/plugin-sdk";

/** Tells the host how the account is doing, once per change. */
export interface StateReporter {
  report(state: AccountState, error?: GatewayError): void;
  connected(): void;
}

/** Creates the reporter of an account. The same state for the same reason is said once. */
export function createStateReporter(host: ChannelHost): StateReporter {
  let last = "";
  const report = (state: AccountState, error?: GatewayError): void => {
    const now = `${state} ${error?.code ?? ""} ${String(error?.detail["cause"] ?? "")}`;
    if (now === last) return;
    last = now;
    host.report(state, error);
  };
  return { report, connected: () => report("connected") };
}
