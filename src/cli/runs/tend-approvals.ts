/** Nobody hosts a run that waits, so whoever looks records what has become due of its questions. */
import { isPawlError } from "../../base/errors.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Context } from "../spec.ts";

/** For commands that only look: a place where this user may not write is looked at as it is. */
export async function tendApprovals(context: Context, reader: Runtime): Promise<void> {
  if (!(await reader.hasDueApprovals())) return;
  try {
    const runtime = await context.open({ readOnly: false });
    await runtime.sweepApprovals();
  } catch (error) {
    if (!isPawlError(error) || !error.code.startsWith("JOURNAL_")) throw error;
  }
}
