/** A talk with a process: what is said goes to its input; what it answers is handed over in order, no faster than it is taken. */
import type { Readable, Writable } from "node:stream";
import type { Dialogue } from "../../../ports/executor.ts";

/** The process has begun. One that has closed its input, or has ended, takes nothing: what is sent to it then is dropped. */
export function beginTalk(dialogue: Dialogue, input: Writable): void {
  input.on("error", () => undefined);
  dialogue.begin({
    send: async (text) => {
      if (!input.writable) return;
      await new Promise<void>((resolve) => input.write(text, () => resolve()));
    },
    end: () => {
      input.end();
    },
  });
}

export interface Hearing {
  take(chunk: Uint8Array): void;
  /** Resolves when everything so far was taken. */
  allTaken(): Promise<void>;
  /** Hands over nothing more. */
  end(): void;
}

/** The end of a process makes its stream flow again, paused or not: what comes then waits here. */
export function createHearing(dialogue: Dialogue, output: Readable): Hearing {
  let waiting: Uint8Array[] = [];
  let isBusy = false;
  let tell: () => void = () => undefined;

  const handOver = (chunk: Uint8Array): void => {
    const taking = dialogue.onOutput(chunk);
    if (taking === undefined) return;
    isBusy = true;
    output.pause();
    taking.then(goOn, goOn);
  };
  const goOn = (): void => {
    isBusy = false;
    while (!isBusy && waiting.length > 0) handOver(waiting.shift() as Uint8Array);
    if (isBusy) return;
    output.resume();
    tell();
  };

  return {
    take: (chunk) => {
      if (isBusy) waiting.push(chunk);
      else handOver(chunk);
    },
    allTaken: () =>
      new Promise((resolve) => {
        tell = resolve;
        if (!isBusy) resolve();
      }),
    end: () => {
      waiting = [];
    },
  };
}
