/** Whoever stands still is ended before its runs are taken over: what is gone has no late effects. */
import { pawlError } from "../../../base/errors.ts";
import type { Reaper } from "../../../ports/stop/reaper.ts";
import type { Holder } from "../../../ports/store/run-index.ts";
import { SERVE_ERRORS } from "../errors.ts";

/** Resolves to whether it was ended here: others may have been quicker. */
export async function evict(reaper: Pick<Reaper, "endHost">, holder: Holder): Promise<boolean> {
  const { pid, hostname } = holder;
  const reaped = await reaper.endHost(holder);
  if (reaped === null || reaped.left.includes(pid))
    throw pawlError(SERVE_ERRORS, "SERVE_HOST_STAYS", { pid, hostname });
  return reaped.ended > 0;
}
