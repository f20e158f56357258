/** While a run lives, its journal says so now and then: of a host that dies, no more than that is not counted as its time. */
import type { Clock } from "../../ports/clock.ts";
import type { Chronicle } from "./chronicle.ts";

const BEAT_MS = 5000;

/** Calls itself off with what it returns. A journal that fails is found out by what the run itself writes. */
export function keepBeat({ write }: Chronicle, clock: Clock): () => void {
  let callOff: () => void = () => undefined;
  let isOver = false;
  const again = (): void => {
    if (!isOver) callOff = clock.after(BEAT_MS, beat);
  };
  const beat = (): void => void write({ type: "run.lived" }).then(again, () => undefined);
  again();
  return () => {
    isOver = true;
    callOff();
  };
}
