/** Output for people who watch: redacted, in whole lines, and never so much that watching slows the process down. */
import { safeCut } from "../../../base/secrets/secret-blocks.ts";

const WINDOW_MS = 50;
const MAX_PER_WINDOW = 65_536;
/** A line without an end is shown in parts, but for its last characters, in which a secret may have begun. */
const HELD_BACK = 4096;

export interface LiveOutput {
  write(lines: Uint8Array): void;
  end(): void;
}

export function createLiveOutput(redact: (text: string) => string, onOutput: (text: string) => void): LiveOutput {
  let queue: Uint8Array[] = [];
  let queued = 0;
  let skipped = 0;
  let rest = "";
  let lastFlush = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const show = (text: string): void => {
    if (text !== "") onOutput(redact(text));
  };
  const flush = (final: boolean): void => {
    clearTimeout(timer);
    timer = undefined;
    lastFlush = performance.now();
    if (skipped > 0) {
      show(rest);
      onOutput(`[pawl: ${skipped} bytes not shown]\n`);
      rest = "";
      skipped = 0;
    }
    const text = rest + Buffer.concat(queue).toString("utf8");
    queue = [];
    queued = 0;
    const cut = final ? text.length : releasable(text);
    rest = text.slice(cut);
    show(text.slice(0, cut));
  };

  return {
    write: (lines) => {
      queue.push(lines);
      queued += lines.length;
      while (queued > MAX_PER_WINDOW && queue.length > 1) {
        const oldest = (queue.shift() as Uint8Array).length;
        queued -= oldest;
        skipped += oldest;
      }
      const due = lastFlush + WINDOW_MS - performance.now();
      if (due <= 0) flush(false);
      else timer ??= setTimeout(flush, due, false);
    },
    end: () => flush(true),
  };
}

/** How much of a text that goes on may be shown: whole lines, or else all but the end of a line that is too long. */
export function releasable(text: string): number {
  const cut = safeCut(text);
  return text.length - cut > MAX_PER_WINDOW ? text.length - HELD_BACK : cut;
}
