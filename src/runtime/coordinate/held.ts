/** Loops that are held back now, and why: what waits for paths, and what has too many open proposals. */
import { backPressure, type Hold, holdText } from "../../loops/coordinate/hold.ts";
import type { HeldBack } from "../../loops/why/facts.ts";
import { loadProject } from "../loops/load-project.ts";
import type { Coordination } from "./coordination.ts";

export async function heldLoops(
  coordination: Pick<Coordination, "locks" | "standing">,
  root: string,
  at: number,
): Promise<ReadonlyMap<string, HeldBack>> {
  const held = new Map<string, HeldBack>();
  const { waiting } = await coordination.locks(at);
  for (const { loop, since, hold } of waiting) held.set(loop, backOf(hold, since));
  const open = (await coordination.standing()).filter(({ state }) => state === "open");
  const { file } = await loadProject(root);
  for (const loop of file?.ok === true ? file.value.loops : []) {
    const own = open.filter((change) => change.loop === loop.name);
    const hold = backPressure(loop, own.length);
    if (hold !== null) held.set(loop.name, backOf(hold, own.at(-1)?.since ?? null));
  }
  return held;
}

function backOf(hold: Hold, since: number | null): HeldBack {
  const { kind } = hold;
  return { kind, what: holdText(hold), since };
}
