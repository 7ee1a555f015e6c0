import type { ModelToolCall } from "@trunkline/plugin-sdk";
import { isJsonObject, type WireToolCall } from "./openai-wire.ts";

/** Puts the pieces of streamed tool calls together. */
export interface ToolCallSlots {
  add(pieces: unknown): void;
  /** The calls in order of appearance. */
  calls(): readonly ModelToolCall[];
  /** Characters of all arguments; the caller bounds it. */
  readonly size: number;
}

interface Slot {
  readonly index: number | undefined;
  readonly givenId: string;
  name: string;
  args: string;
}

/** More calls in one answer are a loop of the model, not work. */
const CALL_LIMIT = 128;

/**
 * Pieces belong together by `index`. Where servers leave it out or repeat it, the id decides, and then the shape:
 * a piece with a name whose predecessor is already complete begins a new call.
 * Calls without an id get `<idPrefix>_<position>`.
 */
export function createToolCallSlots(idPrefix: string): ToolCallSlots {
  const slots: Slot[] = [];
  let size = 0;
  const open = (index: number | undefined, givenId: string): Slot | undefined => {
    if (slots.length >= CALL_LIMIT) return undefined;
    const slot = { index, givenId, name: "", args: "" };
    slots.push(slot);
    return slot;
  };
  return {
    get size() {
      return size;
    },
    add(pieces) {
      if (!Array.isArray(pieces)) return;
      for (const piece of pieces as readonly (WireToolCall | null)[]) {
        if (typeof piece !== "object" || piece === null) continue;
        const index = typeof piece.index === "number" ? piece.index : undefined;
        const id = typeof piece.id === "string" ? piece.id : "";
        const name = typeof piece.function?.name === "string" ? piece.function.name : "";
        const args = toArgumentText(piece.function?.arguments);
        const slot = findSlot(slots, index, id, name, args) ?? open(index, id);
        if (slot === undefined) continue;
        if (slot.name === "") slot.name = name;
        slot.args += args;
        size += args.length;
      }
    },
    calls() {
      const used = new Set<string>();
      return slots.map((slot, position) => {
        const id = slot.givenId === "" || used.has(slot.givenId) ? `${idPrefix}_${position}` : slot.givenId;
        used.add(id);
        return { id, name: slot.name, args: slot.args.trim() === "" ? "{}" : slot.args };
      });
    },
  };
}

function findSlot(slots: readonly Slot[], index: number | undefined, id: string, name: string, args: string): Slot | undefined {
  const candidate =
    index !== undefined
      ? slots.findLast((slot) => slot.index === index)
      : id !== ""
        ? slots.findLast((slot) => slot.givenId === id)
        : slots.at(-1);
  if (candidate === undefined) return undefined;
  if (id !== "" && candidate.givenId !== "" && id !== candidate.givenId) return undefined;
  const repeated = id !== "" && id === candidate.givenId;
  const beginsAnother = name !== "" && !repeated && args.startsWith("{") && candidate.args !== "" && isJsonObject(candidate.args);
  return beginsAnother ? undefined : candidate;
}

/** Arguments are JSON text; some servers send the object itself. */
function toArgumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : "";
}
