/** Pieces of a body that wait for their reader. */
export interface Pieces {
  push(piece: Buffer): void;
  /** The oldest piece; undefined when none waits. */
  shift(): Buffer | undefined;
  clear(): void;
  /** The source was asked to pause, and nothing is expected from it. */
  readonly paused: boolean;
}

/** Bytes that wait: above the first the source pauses, below the second it goes on. */
const PAUSE_ABOVE = 256 * 1024;
const RESUME_BELOW = 64 * 1024;

/** Creates an empty queue, bounded by asking the source to pause. */
export function createPieces(source: { pause(): void; resume(): void }): Pieces {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let paused = false;
  return {
    get paused() {
      return paused;
    },
    push(piece) {
      pieces.push(piece);
      bytes += piece.length;
      if (paused || bytes <= PAUSE_ABOVE) return;
      paused = true;
      source.pause();
    },
    shift() {
      const piece = pieces.shift();
      bytes -= piece?.length ?? 0;
      if (paused && bytes < RESUME_BELOW) {
        paused = false;
        source.resume();
      }
      return piece;
    },
    clear() {
      pieces.length = 0;
      bytes = 0;
    },
  };
}
