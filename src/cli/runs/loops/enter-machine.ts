/** Waits until a run fits on the machine, where pawl.yaml says what its loop takes. */
import type { Context } from "../../spec.ts";

/** Returns what gives its weight back, also when `signal` ended the wait. */
export async function enterMachine(
  { root, out }: Context,
  loop: string,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { loopWeight } = await import("../../../runtime/loops/loop-weight.ts");
  const { openMachine } = await import("../../../runtime/wire.ts");
  const { weight, total } = await loopWeight(root, loop);
  const machine = await openMachine(() => total);
  const onWait = (why: string): void => out.note(`waiting for the machine: ${why}`);
  await machine.wait(`${root} ${loop} ${process.pid}`, weight, { signal, onWait });
  return machine.close;
}
