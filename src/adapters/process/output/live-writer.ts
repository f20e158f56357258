/**
 * The log of a process that still runs, for whoever looks on from another process: what a host that is killed has not
 * yet stored as an artifact is found there. Nothing is written for a process that ends at once.
 */
import { edgeAfter, type LogCap, redactBytes } from "./capture.ts";
import { createSegments } from "./live-log.ts";
import { releasable } from "./live-output.ts";

export interface LiveLog {
  /** Takes whole lines, or a part of a line that is too long to wait for its end. */
  write(lines: Uint8Array): void;
  /** The process has ended and its log is stored: files that there are get what is left, and no new one is made. */
  end(): Promise<void>;
  /** Writes what is left and leaves the files for whoever comes after. */
  leave(): Promise<void>;
}

const FLUSH_MS = 100;

export function createLiveLog(path: string, cap: LogCap, redact: (text: string) => string): LiveLog {
  const segmentBytes = Math.max(1, Math.floor(cap.tailBytes / 2));
  const queue = createQueue(cap.headBytes, segmentBytes);
  const files = createSegments(path, cap.headBytes, segmentBytes);
  let held: Buffer = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> | undefined;

  const pass = async (bytes: Buffer, isLast: boolean): Promise<void> => {
    const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    // One character for each byte, so that a place in the text is a place in the bytes.
    const cut = isLast ? all.length : releasable(all.toString("latin1"));
    held = Buffer.from(all.subarray(cut));
    await files.append(redactBytes(all.subarray(0, cut), redact));
  };
  const flush = async (isLast: boolean): Promise<void> => {
    const { first, skipped, last } = queue.take();
    await pass(first, isLast && skipped === 0 && last.length === 0);
    if (skipped > 0) {
      // What was held has lost its end, and what comes next its beginning: neither may show a part of a secret.
      const from = edgeAfter(last);
      files.skip(held.length + skipped + from);
      held = Buffer.alloc(0);
      await pass(last.subarray(from), isLast);
    } else if (last.length > 0) await pass(last, isLast);
  };
  const start = (): void => {
    timer = undefined;
    // A log that cannot be written is not worth a stage: the artifact is what counts.
    work = flush(false)
      .catch(() => files.giveUp())
      .finally(() => {
        work = undefined;
        if (queue.isFilled()) timer ??= setTimeout(start, FLUSH_MS);
      });
  };
  const stop = async (): Promise<void> => {
    queue.close();
    await work;
    clearTimeout(timer);
  };

  const finish = async (): Promise<void> => {
    await flush(true).catch(() => undefined);
    await files.close();
  };

  return {
    write: (lines) => {
      queue.put(lines);
      if (work === undefined) timer ??= setTimeout(start, FLUSH_MS);
    },
    end: async () => {
      await stop();
      if (files.hasBegun()) await finish();
    },
    leave: async () => {
      await stop();
      await finish();
    },
  };
}

interface Queue {
  put(chunk: Uint8Array): void;
  /** What came since the last time: all of it, or with the middle left out. */
  take(): { readonly first: Buffer; readonly skipped: number; readonly last: Buffer };
  isFilled(): boolean;
  /** Takes nothing more. */
  close(): void;
}

/** Holds all of the head, and of the rest no more than one segment. */
function createQueue(headBytes: number, segmentBytes: number): Queue {
  let headLeft = headBytes;
  let first: Uint8Array[] = [];
  let last: Uint8Array[] = [];
  let lastBytes = 0;
  let skipped = 0;
  let isClosed = false;
  return {
    put: (chunk) => {
      if (isClosed) return;
      const taken = Math.min(headLeft, chunk.length);
      headLeft -= taken;
      if (taken > 0) first.push(chunk.subarray(0, taken));
      if (taken === chunk.length) return;
      last.push(chunk.subarray(taken));
      lastBytes += chunk.length - taken;
      while (lastBytes > segmentBytes && last.length > 1) {
        const oldest = (last.shift() as Uint8Array).length;
        lastBytes -= oldest;
        skipped += oldest;
      }
    },
    take: () => {
      const taken = { first: Buffer.concat(first), skipped, last: Buffer.concat(last) };
      first = [];
      last = [];
      lastBytes = 0;
      skipped = 0;
      return taken;
    },
    isFilled: () => first.length + last.length > 0 && !isClosed,
    close: () => {
      isClosed = true;
    },
  };
}
