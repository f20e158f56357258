/** What the kill switch means to an engine: nothing begins, nothing goes on, and what nobody hosts is ended. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { formatInstant } from "../../base/text/instant.ts";
import { heed, type KillRequest, killRequest } from "../../kernel/control/heed.ts";
import type { KillScope } from "../../ports/stop/kill-switch.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { type Hosting, takeOver } from "./hosting.ts";

/** The loop of a run that is hosted here hears of it by itself. */
export async function killRun(hosting: Hosting, run: RunId, pulled: Pick<KillRequest, "by" | "why">): Promise<void> {
  const { ended } = await takeOver(hosting, run, ({ state }) => heed(state, killRequest(pulled)));
  await ended;
}

/** Nothing begins or goes on while the kill switch is on; only people release it. */
export function requireReleased({ killSwitch }: Pick<Hosting, "killSwitch">, scope: KillScope): void {
  const pulled = killSwitch.pulled(scope);
  if (pulled === null) return;
  const { by, why, source, isForeign, at } = pulled;
  const since = formatInstant(at);
  throw pawlError(RUN_ERRORS, "RUN_KILL_SWITCH", { scope: pulled.scope, by, why, source, isForeign, since });
}
