/** For each loop the one reason why nothing happens. The law is `loops/why`; this gathers what it needs. */
import type { RunId } from "../../base/ids.ts";
import type { HeldBack, OpenRun, PulledSwitch, SpentCap } from "../../loops/why/facts.ts";
import { type Why, whyOf } from "../../loops/why/why.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Heartbeats } from "../../ports/heartbeats.ts";
import type { KillScope, KillSwitch } from "../../ports/stop/kill-switch.ts";
import type { Store } from "../../ports/store/store.ts";
import { blueprintFiles } from "../blueprints/blueprint-files.ts";
import { loadProject } from "../loops/load-project.ts";
import { type CapStanding, capsOfLoop } from "./budget.ts";
import { type FactParts, lastRunOf, openRunsOf } from "./loop-facts.ts";
import type { MoneyActions } from "./money-actions.ts";
import { openBreakers } from "./open-breakers.ts";

const PAGE = 100;

export interface WhyParts {
  readonly root: string;
  readonly clock: Clock;
  readonly heartbeats: Pick<Heartbeats, "read">;
  readonly killSwitch: Pick<KillSwitch, "pulled">;
  /** null: nothing ever ran here. */
  readonly store: Store | null;
  readonly budget: MoneyActions["budget"];
  /** Loops that the coordinator holds back now. */
  readonly held: () => Promise<ReadonlyMap<string, HeldBack>>;
  readonly outlook: FactParts["outlook"];
}

export async function whyOfLoops(parts: WhyParts, loop: string | undefined): Promise<readonly Why[]> {
  const held = await parts.held();
  const names = loop === undefined ? await loopNames(parts, [...held.keys()]) : [loop];
  const { caps } = await parts.budget();
  const found: Why[] = [];
  for (const name of names) found.push(await whyOfLoop(parts, name, caps.ok ? caps.value : [], held.get(name) ?? null));
  return found;
}

/** Those that have runs, those that only have a blueprint, and the loops whose blueprint comes with Pawl. */
async function loopNames({ root, store }: WhyParts, held: readonly string[]): Promise<readonly string[]> {
  const names = new Set([...held, ...(await blueprintFiles(root)).map(({ name }) => name)]);
  const { file } = await loadProject(root);
  const loops = file?.ok === true ? file.value.loops : [];
  for (const loop of loops) if (loop.source.startsWith("builtin:")) names.add(loop.name);
  for (let last: string | undefined = ""; last !== undefined; ) {
    const page: readonly string[] = (await store?.runs.blueprints(last, PAGE)) ?? [];
    for (const name of page) names.add(name);
    last = page.at(-1);
  }
  return [...names].sort();
}

async function whyOfLoop(
  parts: WhyParts,
  loop: string,
  caps: readonly CapStanding[],
  held: HeldBack | null,
): Promise<Why> {
  const { store, heartbeats, killSwitch, clock, outlook } = parts;
  const spent = spentOf(caps, loop);
  if (store === null)
    return whyOf({ loop, pulled: pulledFor(killSwitch, []), open: [], breakers: [], spent, held, last: null });
  const facts = { store, heartbeats, outlook };
  const open = await openRunsOf(facts, loop);
  return whyOf({
    loop,
    pulled: pulledFor(killSwitch, open),
    open,
    breakers: await openBreakers(store, loop, clock.now()),
    spent,
    held,
    last: await lastRunOf(facts, loop),
  });
}

/** For everything, or for one of the runs that are open. */
function pulledFor(killSwitch: Pick<KillSwitch, "pulled">, open: readonly OpenRun[]): PulledSwitch | null {
  const scopes: readonly KillScope[] = ["all", ...open.map(({ run }) => run as RunId)];
  for (const scope of scopes) {
    const pulled = killSwitch.pulled(scope);
    if (pulled === null) continue;
    const { by, why, at, source, isForeign } = pulled;
    return { by, why, at, run: pulled.scope === "all" ? null : pulled.scope, line: isForeign ? source : null };
  }
  return null;
}

/** Caps of which nothing is left. One of a provider holds only for runs that ask it. */
function spentOf(caps: readonly CapStanding[], loop: string): readonly SpentCap[] {
  return capsOfLoop(caps, loop).flatMap(({ account, unit, window, source, standing }) =>
    standing === null || standing.left > 0 || account.scope === "provider"
      ? []
      : [{ cap: `the ${unit}/${window} of ${account.scope} ${account.name} (${source})`, freesAt: standing.resetsAt }],
  );
}
