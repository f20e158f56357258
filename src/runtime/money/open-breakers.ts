/** Breakers that let nothing of a loop pass: its own, and those of what its newest run may use, actions and other loops. */
import type { OpenBreaker } from "../../loops/why/facts.ts";
import type { Plan } from "../../plan/plan.ts";
import type { BreakerPage } from "../../ports/store/breakers.ts";
import type { Store } from "../../ports/store/store.ts";

const PAGE = 100;

export async function openBreakers(store: Store, loop: string, at: number): Promise<readonly OpenBreaker[]> {
  const targets = await targetsOf(store, loop);
  const found: OpenBreaker[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { at, limit: PAGE };
    const page: BreakerPage = await store.breakers.list(cursor === "" ? query : { ...query, cursor });
    const open = page.breakers.filter(({ target, phase }) => phase === "open" && targets.has(target));
    found.push(...open.map(({ target, since, why, until }) => ({ target, since: since ?? at, why: why ?? "", until })));
    cursor = page.next;
  }
  return found;
}

async function targetsOf({ runs, journal }: Store, loop: string): Promise<ReadonlySet<string>> {
  const [newest] = (await runs.list({ blueprint: loop, limit: 1 })).rows;
  const plan = newest === undefined ? undefined : await journal.plan(newest.plan);
  return new Set([`loop:${loop}`, ...(plan === undefined ? [] : usedBy(plan))]);
}

function usedBy({ stages, children }: Plan): readonly string[] {
  const leaves = stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
  const actions = leaves.flatMap((leaf) => (leaf.kind === "action" ? [`action:${leaf.action}`] : []));
  return [...actions, ...children.map(({ name }) => `loop:${name}`)];
}
