/** Bytes that may wait for a tab that does not read. More and it is cut; it comes back and resumes by its last number. */
const BUFFER_LIMIT = 1024 * 1024;

/** The event stream of one tab. */
export interface ClientStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Bytes that wait to be read. */
  readonly waiting: number;
  /** Queues a frame. When it does not fit, everything that waits is thrown away and the stream ends. */
  write(frame: Uint8Array): void;
  /** Ends the stream, after what waits. */
  end(): void;
}

/**
 * Creates a stream that asks nothing of its reader's pace. `onEnd` runs once: when the reader goes away, when it is too slow, or at `end`.
 * A single frame larger than the whole buffer still passes when nothing waits before it.
 */
export function createClientStream(onEnd: () => void): ClientStream {
  let frames: Uint8Array[] = [];
  let waiting = 0;
  let ended = false;
  let wake: (() => void) | undefined;
  const end = (): void => {
    if (ended) return;
    ended = true;
    wake?.();
    onEnd();
  };
  const cut = (): void => {
    frames = [];
    waiting = 0;
    end();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (frames.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve));
        const frame = frames.shift();
        if (frame === undefined) return controller.close();
        waiting -= frame.byteLength;
        controller.enqueue(frame);
      },
      cancel: cut,
    },
    // Nothing is buffered in the stream itself: what waits is counted here, in bytes.
    { highWaterMark: 0 },
  );
  return {
    body,
    get waiting() {
      return waiting;
    },
    write(frame) {
      if (ended) return;
      if (waiting > 0 && waiting + frame.byteLength > BUFFER_LIMIT) return cut();
      frames.push(frame);
      waiting += frame.byteLength;
      wake?.();
    },
    end,
  };
}
