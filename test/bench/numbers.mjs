// @ts-check

/** The middle of some numbers. @param {readonly number[]} values */
export function median(values) {
  return percentile(values, 0.5);
}

/** The value below which a share of the numbers lies (nearest rank). @param {readonly number[]} values @param {number} share */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}
