/** Shows a view again and again: in place on a terminal, as new lines elsewhere and only when it has changed. */
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import type { Context } from "../spec.ts";
import { createLive } from "../views/live.ts";

export interface Watched {
  readonly lines: readonly string[];
  readonly document: object;
  /** Nothing will change any more. */
  readonly over: boolean;
}

const INTERVAL_MS = 500;

export async function watch(context: Context, look: () => Promise<Watched>): Promise<ExitCode> {
  const interrupted = context.interrupts.untilInterrupted();
  const stop = AbortSignal.any([interrupted, context.out.gone]);
  const screen = createScreen(context.out);
  try {
    for (;;) {
      const view = await look();
      screen.show(view.lines);
      if (view.over) break;
      await sleep(INTERVAL_MS, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) break;
    }
  } finally {
    screen.close();
  }
  return interrupted.aborted ? EXIT.interrupted : EXIT.succeeded;
}

interface Screen {
  show(lines: readonly string[]): void;
  /** Leaves the last view on the screen. */
  close(): void;
}

function createScreen(out: Output): Screen {
  let shown: readonly string[] = [];
  const print = (lines: readonly string[]): void => {
    for (const line of lines) out.line(line);
  };
  if (!out.live) {
    return {
      show: (lines) => {
        if (lines.join("\n") !== shown.join("\n")) print(lines);
        shown = lines;
      },
      close: () => undefined,
    };
  }
  const live = createLive({ write: out.write, columns: out.columns, lines: () => shown.map((text) => ({ text })) });
  return {
    show: (lines) => {
      shown = lines;
    },
    close: () => {
      live.close();
      print(shown);
    },
  };
}
