/** Waits until a run fits on the machine, where pawl.yaml says what its loop takes. */
import type { Weight } from "../../limits/admission/admission.ts";
import { loopWeight } from "./loop-weight.ts";
import type { Machine } from "./machine.ts";

export interface MachineAsk {
  readonly root: string;
  /** What the run is of. */
  readonly loop: string;
  /** Names the run among all that this process asks for. */
  readonly key: string;
}

export type OpenMachine = (total: () => Weight | null) => Promise<Machine>;

/** Returns what gives the weight back, also when `signal` ended the wait. */
export async function enterMachine(
  openMachine: OpenMachine,
  { root, loop, key }: MachineAsk,
  watch: Parameters<Machine["wait"]>[2],
): Promise<() => Promise<void>> {
  const { weight, total } = await loopWeight(root, loop);
  const machine = await openMachine(() => total);
  await machine.wait(`${root} ${key} ${process.pid}`, weight, watch);
  return machine.close;
}
