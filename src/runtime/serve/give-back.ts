/**
 * Reading a long pawl.yaml leaves many times its size behind, and a process that then waits for months never needs the room: what nobody
 * uses any more is given back to the machine once it is read.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export function giveBackMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // The first finds what is free, the second lets go of it.
  for (let time = 0; time < 2; time += 1) collect();
  setFlagsFromString("--no-expose-gc");
}
