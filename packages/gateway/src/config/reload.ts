import { type ConfigDiff, diffConfig } from "@trunkline/core";
import type { Clock, ConfigSnapshot, Logger, Redactor } from "@trunkline/plugin-sdk";
import { formatIssues } from "./issue.ts";
import type { LiveConfig } from "./live-config.ts";
import type { ConfigOriginFiles, LoadedConfig } from "./load.ts";
import { watchFiles } from "./watch.ts";

/** Where a running gateway's configuration comes from. */
export interface ReloadableConfig {
  readonly from: ConfigOriginFiles;
  /** Reads it anew. Never throws. */
  load(revision: number): LoadedConfig;
}

/** Which configuration runs, and what is wrong with the one that is written. */
export interface ConfigStatus {
  readonly revision: number;
  /** Null for the built-in configuration. */
  readonly file: string | null;
  /** Why the files as they are now are not used: all issues, as `trunkline check` prints them. Null when they are. */
  readonly lastError: { readonly at: number; readonly issues: string } | null;
  /** Dotted keys that are written differently from what the gateway started with, and count after its next start. */
  readonly needRestart: readonly string[];
}

export interface ReloadDeps {
  readonly config: LiveConfig;
  readonly source: ReloadableConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Brings what runs to the new configuration; `swap` makes it the current one. What throws before `swap` leaves all as it was. */
  readonly apply: (next: ConfigSnapshot, diff: ConfigDiff, swap: () => void) => void;
}

/** Keeps the running configuration to what is written. */
export interface Reload {
  status(): ConfigStatus;
  /** Reads the files now instead of at the next look. */
  now(): void;
  close(): void;
}

/** Watches the files of the configuration and applies every valid change; an invalid one is told once, and the last good one stays. */
export function startReload({ config, source, clock, logger, redactor, apply }: ReloadDeps): Reload {
  /** Of the configuration that runs, and of what was read last. */
  let running = source.from.digest;
  let read = running;
  let lastError: ConfigStatus["lastError"] = null;
  const started = config.current().config;

  const refuse = (issues: string): void => {
    lastError = { at: clock.now(), issues };
    logger.error(
      { code: "CONFIG_INVALID", file: source.from.file, revision: config.current().revision, issues },
      "the changed configuration has errors and is not used; the last good one stays",
    );
  };

  const now = (): void => {
    const before = config.current();
    const loaded = source.load(before.revision + 1);
    watch.watch(loaded.from.paths);
    if (loaded.from.digest === read) return;
    read = loaded.from.digest;
    if (read === running) {
      lastError = null;
      logger.info({ revision: before.revision }, "the configuration is again the one that is used");
      return;
    }
    for (const secret of loaded.secrets) redactor.add(secret);
    if (!loaded.ok) return refuse(redactor.text(formatIssues(loaded.issues)));
    const diff = diffConfig(before.config, loaded.snapshot.config);
    try {
      apply(loaded.snapshot, diff, () => config.replace(loaded.snapshot));
    } catch (error) {
      return refuse(redactor.text(error instanceof Error ? error.message : String(error)));
    }
    running = read;
    lastError = null;
    logApplied(loaded, diff);
  };

  const logApplied = (loaded: Extract<LoadedConfig, { ok: true }>, diff: ConfigDiff): void => {
    const { revision } = loaded.snapshot;
    if (loaded.warnings.length > 0)
      logger.warn({ warnings: redactor.text(formatIssues(loaded.warnings)) }, "the configuration has warnings");
    logger.info({ revision, changed: describe(diff) }, "the changed configuration is used");
    if (diff.needRestart.length > 0)
      logger.warn({ keys: diff.needRestart.join(", ") }, "these keys have changed and count after the next start of the gateway");
  };

  const watch = watchFiles(clock, now);
  watch.watch(source.from.paths);
  return {
    status: () => ({
      revision: config.current().revision,
      file: source.from.file ?? null,
      lastError,
      needRestart: diffConfig(started, config.current().config).needRestart,
    }),
    now,
    close: () => watch.close(),
  };
}

/** What a change touched, in one line: `account telegram:main restart, agents aria`. */
function describe({ accounts, providers, agents, sections, needRestart }: ConfigDiff): string {
  const named = (kind: string, names: readonly string[]): readonly string[] => (names.length === 0 ? [] : [`${kind} ${names.join(" ")}`]);
  const parts = [
    ...accounts.map(({ channel, account, change }) => `account ${channel}:${account} ${change}`),
    ...named("providers", providers),
    ...named("agents", agents),
    ...named("sections", sections),
    ...named("after a restart", needRestart),
  ];
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
