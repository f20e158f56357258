/** The hash chain of a journal: each value covers the run, every earlier event and this one, over the exact stored text. */
import { sha256Short } from "../../base/digest.ts";

/** The value before the first event. */
export function chainStart(run: string): string {
  return sha256Short(`pawl:1:${run}`);
}

/** `body` is the canonical text of the event, exactly as stored. */
export function chainNext(previous: string, body: string): string {
  return sha256Short(`${previous}\n${body}`);
}
