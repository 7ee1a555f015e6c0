import "reflect-metadata"; // tsyringe reads Reflect metadata at import
import { container as root, type DependencyContainer } from "tsyringe";
import { GatewayError } from "./errors.ts";
import type { Plugin, PluginContext } from "./plugin.ts";
import type { ManyToken, Token } from "./tokens.ts";

/**
 * The plug board: tokens to values, on tsyringe. Only the composition root resolves; everything else takes plain arguments.
 * tsyringe's own traps stay in this file: `resolveAll` throws when nothing is registered, a child hides its parent's
 * multi-registrations, and a registration cannot be taken back one by one, so the board is rebuilt when a plugin stops.
 */
export interface Container {
  /** Whether somebody provided the one value, or contributed at least one. */
  has<T>(token: Token<T>): boolean;
  /** The one value. PLUGIN_TOKEN_MISSING when nobody provided it. */
  get<T>(token: Token<T>): T;
  /** All values in order of registration; empty when there are none. */
  all<T>(token: ManyToken<T>): readonly T[];
  /** Registers a plugin; the returned function undoes everything that it registered. Errors leave nothing behind. */
  register(plugin: Plugin): () => void;
  /** Provides a value on behalf of the gateway itself. */
  provide<T>(token: Token<T>, value: T): void;
}

interface Registration {
  readonly token: Token<unknown>;
  readonly value: unknown;
  readonly plugin: string;
}

/** Creates an empty container. */
export function createContainer(): Container {
  let registrations: readonly Registration[] = [];
  let board: DependencyContainer = root.createChildContainer();

  const replace = (next: readonly Registration[]): void => {
    registrations = next;
    board = root.createChildContainer();
    for (const { token, value } of next) board.register(token.symbol, { useValue: value });
  };
  const register = (plugin: Plugin): (() => void) => {
    const added = collect(plugin, registrations);
    replace([...registrations, ...added]);
    return () => replace(registrations.filter((registration) => !added.includes(registration)));
  };
  return {
    has: (token) => board.isRegistered(token.symbol),
    get<T>(token: Token<T>): T {
      if (!board.isRegistered(token.symbol)) throw new GatewayError("PLUGIN_TOKEN_MISSING", { detail: { token: token.name } });
      return board.resolve<T>(token.symbol);
    },
    all<T>(token: ManyToken<T>): readonly T[] {
      return board.isRegistered(token.symbol) ? board.resolveAll<T>(token.symbol) : [];
    },
    register,
    provide(token, value) {
      register({ name: "gateway", version: "", apiVersion: 0, register: (context) => context.provide(token, value) });
    },
  };
}

/** Runs a plugin's `register` and gives what it registered, after the checks for second providers and duplicate ids. */
function collect(plugin: Plugin, existing: readonly Registration[]): readonly Registration[] {
  const added: Registration[] = [];
  const refuseDuplicate = (token: Token<unknown>, id: string, same: (value: unknown) => boolean): void => {
    const first = [...existing, ...added].find((registration) => registration.token === token && same(registration.value));
    if (first)
      throw new GatewayError("PLUGIN_DUPLICATE_ID", { detail: { kind: token.name, id, first: first.plugin, second: plugin.name } });
  };
  const context: PluginContext = {
    plugin: plugin.name,
    provide(token, value) {
      refuseDuplicate(token, token.name, () => true);
      added.push({ token, value, plugin: plugin.name });
    },
    contribute(token, value) {
      const id = token.idOf(value);
      // The token types its values, so a registration under it holds a T.
      refuseDuplicate(token, id, (other) => token.idOf(other as typeof value) === id);
      added.push({ token, value, plugin: plugin.name });
    },
  };
  plugin.register(context);
  return added;
}
