interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Joins ranges of one kind that touch, unless the joint range would cross another: ranges nest before and after. `kindOf` gives undefined for
 * what is never joined; `others` are ranges that must not be crossed either.
 */
export function joinNeighbours<R extends Range>(
  ranges: readonly R[],
  kindOf: (range: R) => string | undefined,
  others: readonly Range[] = [],
): R[] {
  if (ranges.length < 2) return [...ranges];
  const borders = bordersOf([...ranges, ...others]);
  const joined: R[] = [];
  const last = new Map<string, number>();
  for (const range of [...ranges].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const kind = kindOf(range);
    const index = kind === undefined ? undefined : last.get(kind);
    const previous = index === undefined ? undefined : joined[index];
    const touches = previous !== undefined && range.start <= previous.end;
    if (index !== undefined && touches && (range.start < previous.end || !borders.crosses(previous, range))) {
      joined[index] = { ...previous, end: Math.max(previous.end, range.end) };
      continue;
    }
    const place = joined.push(range) - 1;
    if (kind !== undefined) last.set(kind, place);
  }
  return joined;
}

function bordersOf(ranges: readonly Range[]): { crosses(left: Range, right: Range): boolean } {
  /** The furthest start of what ends at a place, and the furthest end of what starts there. */
  const starts = new Map<number, number>();
  const ends = new Map<number, number>();
  for (const { start, end } of ranges) {
    starts.set(end, Math.min(starts.get(end) ?? Infinity, start));
    ends.set(start, Math.max(ends.get(start) ?? -1, end));
  }
  return {
    crosses: (left, right) => (starts.get(left.end) ?? Infinity) < left.start || (ends.get(right.start) ?? -1) > right.end,
  };
}
