/**
 * Interrupts: what signals mean to a command. Without a handler a signal ends the process at once, which is right for
 * a command that only looks; a command that hosts a run or follows one says what to do instead.
 */
import { EXIT } from "./exit-codes.ts";

/** `interrupt`: a person pressed Ctrl-C. `terminate`: the system or the terminal wants this process gone. */
export type InterruptKind = "interrupt" | "terminate";

export type InterruptHandler = (kind: InterruptKind, times: number) => void;

export interface Interrupts {
  /** Takes over until the returned function is called. */
  handle(handler: InterruptHandler): () => void;
  /** Aborts on the first signal; a second one ends the process. */
  untilInterrupted(): AbortSignal;
  /** Ends the process now. */
  exit(code: number): void;
}

/** The part of `process` that is used; tests give their own. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

const KINDS: readonly (readonly [NodeJS.Signals, InterruptKind])[] = [
  ["SIGINT", "interrupt"],
  ["SIGTERM", "terminate"],
  ["SIGHUP", "terminate"],
];

export function createInterrupts(source: SignalSource): Interrupts {
  let handler: InterruptHandler | undefined;
  let times = 0;
  for (const [signal, kind] of KINDS) {
    source.on(signal, () => {
      times += 1;
      if (handler === undefined) source.exit(EXIT.interrupted);
      else handler(kind, times);
    });
  }
  const handle = (next: InterruptHandler): (() => void) => {
    handler = next;
    return () => {
      handler = undefined;
    };
  };
  return {
    handle,
    exit: (code) => source.exit(code),
    untilInterrupted: () => {
      const controller = new AbortController();
      handle((_kind, count) => {
        if (count > 1) source.exit(EXIT.interrupted);
        controller.abort();
      });
      return controller.signal;
    },
  };
}
