/** Waits until a run fits on the machine, where pawl.yaml says what its loop takes. */
import type { Context } from "../../spec.ts";

/** Returns what gives its weight back. */
export async function enterMachine({ root, out }: Context, loop: string): Promise<() => Promise<void>> {
  const { loopWeight } = await import("../../../runtime/loops/loop-weight.ts");
  const { openMachine } = await import("../../../runtime/wire.ts");
  const { weight, total } = await loopWeight(root, loop);
  const machine = await openMachine(() => total);
  await machine.wait(`${root} ${loop} ${process.pid}`, weight, (why) => out.note(`waiting for the machine: ${why}`));
  return machine.close;
}
