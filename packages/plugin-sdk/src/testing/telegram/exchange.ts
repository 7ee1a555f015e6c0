import type { CallOutcome } from "./audit.ts";
import type { DrawnFault, Faults } from "./faults.ts";
import type { RateLimiter } from "./limits.ts";
import type { Answer } from "./methods/method.ts";
import { findMethod, isLimited } from "./methods/registry.ts";
import type { Params } from "./params.ts";
import type { Random } from "./random.ts";
import { Refusal, tooManyRequests } from "./refusal.ts";
import type { WireUpdate } from "./wire.ts";
import type { World } from "./world.ts";

/** What goes back over the wire. `none` breaks the connection without an answer. */
export type Reply = { readonly kind: "json"; readonly status: number; readonly body: unknown } | { readonly kind: "none" };

/** Everything one exchange needs. */
export interface ExchangeContext {
  readonly world: World;
  readonly faults: Faults;
  readonly limiter: RateLimiter;
  readonly random: Random;
}

const DEFAULT_SLOW_MS = 500;
const BROKEN: Reply = { kind: "none" };

/** Runs one method call with its faults, and writes it to the audit log. */
export async function exchange(context: ExchangeContext, method: string, params: Params, signal: AbortSignal): Promise<Reply> {
  const { world } = context;
  const chatId = chatOf(world, params);
  const finish = (outcome: CallOutcome, reply: Reply): Reply => {
    // Who hung up while it ran never saw the answer.
    const seen: CallOutcome =
      signal.aborted && outcome.kind === "ok" ? { kind: "lost", effect: method.toLowerCase() !== "getupdates" } : outcome;
    world.audit.recordCall({
      method,
      ...(chatId === undefined ? {} : { chatId }),
      params: params.toLog(),
      outcome: seen,
      at: world.clock.now(),
    });
    world.signal.notify();
    return reply;
  };
  const fault = context.faults.draw({ method, chatId });
  try {
    const early = await before(fault, world, signal);
    if (early !== undefined) return finish(early.outcome, early.reply);
    const answer = await run(context, method, chatId, params, signal);
    const late = await after(fault, context, answer, signal);
    return finish(late.outcome, late.reply);
  } catch (error) {
    // Anything else is a mistake of the emulator; its message must reach whoever reads the failing test.
    const refusal = error instanceof Refusal ? error : new Refusal(500, `Internal Server Error: ${String(error)}`);
    if (fault !== undefined && isAfter(fault)) fault.discard();
    return finish({ kind: "refused", code: refusal.code, description: refusal.description }, refused(refusal));
  }
}

interface Faulted {
  readonly outcome: CallOutcome;
  readonly reply: Reply;
}

/** The part of a fault that comes before the effect; a result ends the exchange. @throws Refusal for an injected 429. */
async function before(fault: DrawnFault | undefined, world: World, signal: AbortSignal): Promise<Faulted | undefined> {
  switch (fault?.spec.kind) {
    case "429":
      fault.apply();
      throw tooManyRequests(fault.spec.retryAfter ?? 1);
    case "refuse":
      fault.apply();
      throw new Refusal(fault.spec.code ?? 400, fault.spec.description ?? "Bad Request: CHAT_SEND_PLAIN_FORBIDDEN");
    case "5xx-before":
      fault.apply();
      return gatewayError(fault.spec.code, false);
    case "lost-request":
      fault.apply();
      return { outcome: { kind: "lost", effect: false }, reply: BROKEN };
    case "slow":
      fault.apply();
      await new Promise<void>((resolve) => void world.clock.timer(fault.spec.delayMs ?? DEFAULT_SLOW_MS, resolve));
      return undefined;
    case "hold-before":
      fault.apply();
      await fault.hold(undefined, signal);
      return signal.aborted ? { outcome: { kind: "lost", effect: false }, reply: BROKEN } : undefined;
    default:
      return undefined;
  }
}

async function run(
  context: ExchangeContext,
  name: string,
  chatId: number | undefined,
  params: Params,
  signal: AbortSignal,
): Promise<Answer> {
  const method = findMethod(name);
  if (method === undefined) throw new Refusal(404, "Not Found: method not found");
  if (chatId !== undefined && isLimited(name)) {
    const wait = context.limiter.take(chatId, context.world.clock.now());
    if (wait !== undefined) throw tooManyRequests(wait);
  }
  return method({ world: context.world, params, signal });
}

/** The part of a fault that comes after the effect, and the answer. */
async function after(fault: DrawnFault | undefined, context: ExchangeContext, answer: Answer, signal: AbortSignal): Promise<Faulted> {
  const ids = answer.messages?.map((message) => message.message_id);
  const outcome: CallOutcome = { kind: "ok", ...(ids === undefined ? {} : { messageIds: ids }) };
  switch (fault?.spec.kind) {
    case "5xx-after":
      fault.apply();
      return gatewayError(fault.spec.code, true);
    case "lost-response":
      fault.apply();
      return { outcome: { kind: "lost", effect: true }, reply: BROKEN };
    case "hold-after":
      fault.apply();
      await fault.hold(answer.messages?.[0], signal);
      break;
    case "duplicate-updates": {
      const batch = answer.result as readonly WireUpdate[];
      if (batch.length === 0) {
        fault.discard();
        break;
      }
      fault.apply();
      return { outcome, reply: ok({ ...answer, result: context.world.updates.withDuplicate(batch, context.random) }) };
    }
    default:
      break;
  }
  return { outcome, reply: ok(answer) };
}

function isAfter(fault: DrawnFault): boolean {
  return ["5xx-after", "lost-response", "hold-after", "duplicate-updates"].includes(fault.spec.kind);
}

function ok({ result, description }: Answer): Reply {
  return { kind: "json", status: 200, body: { ok: true, result, ...(description === undefined ? {} : { description }) } };
}

/** The answer that a refusal becomes. */
export function refused({ code, description, parameters }: Refusal): Reply {
  return {
    kind: "json",
    status: code,
    body: { ok: false, error_code: code, description, ...(parameters === undefined ? {} : { parameters }) },
  };
}

function gatewayError(code = 502, effect: boolean): Faulted {
  const description = code === 500 ? "Internal Server Error" : code === 504 ? "Gateway Timeout" : "Bad Gateway";
  return { outcome: { kind: "refused", code, description, effect }, reply: refused(new Refusal(code, description)) };
}

function chatOf(world: World, params: Params): number | undefined {
  const id = params.text("chat_id");
  if (id.startsWith("@")) return world.chats.findByName(id)?.id;
  return /^-?\d+$/.test(id) ? Number(id) : undefined;
}
