import type { AccountStatus, Explanation, PipelineCounts } from "@trunkline/core";

/** What the command line can ask a running gateway. */
export interface ControlApi {
  status(): Promise<GatewayStatus>;
  explain(reference: string): Promise<Explanation>;
}

/** The whole state of a gateway, as `trunkline status --json` prints it. */
export interface GatewayStatus {
  readonly version: string;
  readonly url: string | null;
  readonly dataFolder: string;
  /** ms UTC. */
  readonly startedAt: number;
  readonly configRevision: number;
  readonly accounts: readonly AccountStatus[];
  readonly messages: PipelineCounts["messages"];
  readonly openParts: number;
  readonly ambiguity: PipelineCounts["ambiguity"];
}

/** An error on its way to the command line. */
export interface ControlProblem {
  readonly code: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly hint: string;
}
