/** Nobody hosts a run that waits, so whoever looks records what has become due of its questions. */
import { isPawlError } from "../../base/errors.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Context } from "../spec.ts";
import { oneLine } from "../views/event-line.ts";

/** For commands that only look: a place where this user may not write is looked at as it is. */
export async function tendApprovals(context: Context, reader: Runtime): Promise<void> {
  if (!(await reader.hasDueApprovals())) return;
  try {
    const runtime = await context.open({ readOnly: false });
    await recordDue(context, runtime);
  } catch (error) {
    if (!isPawlError(error) || !error.code.startsWith("JOURNAL_")) throw error;
  }
}

/** Records what is due. A run of which nothing can be recorded is named, and the rest of the command goes on. */
export async function recordDue({ out }: Context, runtime: Runtime): Promise<void> {
  const { failed } = await runtime.sweepApprovals();
  for (const { what } of failed) out.note(oneLine(what));
}
