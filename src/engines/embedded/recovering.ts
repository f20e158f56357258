/** Recovering: what the last host left is saved by the next one. It takes less time for that if the run is to end. */
import type { Landing } from "../../kernel/aftermath.ts";
import { haltOfHost } from "../../kernel/control/halt.ts";
import { haltIfStopping, isOver } from "../../kernel/control/heed.ts";
import type { Restored } from "../../kernel/hosting.ts";
import { recover } from "../../kernel/recover.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { KillSwitch } from "../../ports/stop/kill-switch.ts";
import type { Control } from "../../ports/store/control.ts";
import type { Fact } from "../../run/events.ts";

interface RecoveryContext {
  readonly ports: KernelPorts;
  readonly control: Control;
  readonly killSwitch: Pick<KillSwitch, "pulled" | "watch">;
  readonly leaving: AbortController;
}

/**
 * `first`: what is recorded after it. A request that arrives meanwhile is only obeyed here: the loop records it, because it stays
 * until it is settled.
 */
export async function recoverRun(
  { ports, control, killSwitch, leaving }: RecoveryContext,
  restored: Restored,
  first: readonly Fact[],
): Promise<readonly Landing[]> {
  const { run, state } = restored;
  const { halt, forget } = haltOfHost(leaving.signal);
  // A kill leaves less time than a cancel.
  if (!isOver(run, killSwitch, halt)) haltIfStopping(state, halt, first);
  const unguard = killSwitch.watch(run, () => halt.end("kill"));
  const unwatch = control.watch(run, ({ kind }) => {
    if (kind === "cancel") halt.end("stop");
  });
  try {
    return await recover(restored, ports, halt);
  } finally {
    unwatch();
    unguard();
    forget();
  }
}
