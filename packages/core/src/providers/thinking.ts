import { type GatewayError, type ModelInfo, THINKING_LEVELS, type ThinkingLevel } from "@trunkline/plugin-sdk";
import { LruMap } from "../sessions/lru.ts";

/** The levels of a model; `binary`: on and off only. */
export type ThinkingSupport = NonNullable<ModelInfo["thinking"]>;

/** Where nobody has said anything. */
const OTHERWISE: ThinkingLevel = "low";

/** The level that is wanted: the first that somebody named, in the order of their say (message, session, agent, model). Pure. */
export function resolveThinking(...wishes: readonly (ThinkingLevel | undefined)[]): ThinkingLevel {
  return wishes.find((wish) => wish !== undefined) ?? OTHERWISE;
}

/**
 * The level that a model gets for a wish: the nearest lower one that it has; its lowest when there is none below (some models cannot
 * be told not to think). Undefined: nothing is said to it, because it does not think or nothing is known about it. Pure.
 */
export function fitThinking(wish: ThinkingLevel, support: ThinkingSupport | undefined): ThinkingLevel | undefined {
  if (support === undefined || support.length === 0) return undefined;
  if (support === "binary") return wish;
  const below = THINKING_LEVELS.slice(0, THINKING_LEVELS.indexOf(wish) + 1);
  const levels = THINKING_LEVELS.filter((level) => support.includes(level));
  return levels.findLast((level) => below.includes(level)) ?? levels[0];
}

/** What providers said about the levels of their models, where the catalogue was silent or wrong. */
export interface ThinkingMemory {
  of(model: string): ThinkingSupport | undefined;
  learn(model: string, support: ThinkingSupport): void;
}

/** Models that are remembered. */
const REMEMBERED = 200;

/** Creates an empty memory, bounded by forgetting what was used longest ago. */
export function createThinkingMemory(): ThinkingMemory {
  const learned = new LruMap<ThinkingSupport>(REMEMBERED);
  return { of: (model) => learned.get(model), learn: (model, support) => learned.set(model, support) };
}

/** "Supported values are: 'none', 'low', and 'high'", with or without quotes, "must be one of", "input should be". */
const SUPPORTED =
  /(?:supported|allowed|valid|permitted) (?:values|levels|efforts)[^a-z0-9]*(?:are|is|include)?\s*:?\s*([^.}\n]{1,200})|(?:must be one of|input should be):?\s*([^.}\n]{1,200})/i;

/** Words about thinking, so that the refusal of another parameter is not taken for one. */
const ABOUT_THINKING = /reasoning|thinking|effort/i;

/** A model that has no such parameter at all. */
const NO_SUCH =
  /(?:unsupported|unrecognized|unknown|unexpected|extra)[^.]{0,60}(?:reasoning|thinking|effort)|(?:reasoning|thinking|effort)\S{0,20} (?:is|are) not (?:supported|permitted|available)|does not support (?:\S+ ){0,3}(?:reasoning|thinking|effort)/i;

/** Providers call the levels so; ours otherwise have their names. */
const NAMES: ReadonlyMap<string, ThinkingLevel> = new Map<string, ThinkingLevel>([
  ["none", "off"],
  ["disabled", "off"],
  ...THINKING_LEVELS.map((level) => [level, level] as const),
]);

/** The levels that a refused call says the model has; undefined when it was refused for something else. */
export function supportIn(error: GatewayError): ThinkingSupport | undefined {
  const body = error.code === "MODEL_BAD_REQUEST" && typeof error.detail["body"] === "string" ? error.detail["body"] : "";
  if (!ABOUT_THINKING.test(body)) return undefined;
  const [, after, oneOf] = SUPPORTED.exec(body) ?? [];
  const named = new Set((after ?? oneOf ?? "").toLowerCase().match(/[a-z]+/g));
  const levels = [...NAMES].filter(([name]) => named.has(name)).map(([, level]) => level);
  if (levels.length > 0) return THINKING_LEVELS.filter((level) => levels.includes(level));
  return NO_SUCH.test(body) ? [] : undefined;
}
