/** Verifies that each tree that a run names is still kept, unless it was dropped on purpose. */
import type { RunId } from "../../base/ids.ts";
import type { TreeHolding } from "../../ports/trees.ts";
import type { StoredEvent } from "../../run/events.ts";
import { namedBy } from "../../run/record/named.ts";
import { damageOf, type Look, placeOf } from "./damage.ts";

export interface TreeFinding {
  /** Of one run; of all runs nothing is kept here. */
  readonly held: string[];
  hasHeld: boolean;
}

const SAID: Readonly<Record<Exclude<TreeHolding, "held" | "dropped">, { problem: string; hint: string }>> = {
  no_vault: { problem: "the whole vault is missing", hint: "restore .pawl/vault.git from a backup" },
  missing: { problem: "it is not in the vault", hint: "restore .pawl/vault.git from a backup" },
  unnamed: {
    problem: "its reference in the vault is missing or was moved",
    hint: "do not run `pawl gc`, which may remove it now: `git --git-dir=.pawl/vault.git branch rescued ID` keeps it",
  },
};

export async function runTrees(
  look: Look,
  run: RunId,
  events: AsyncIterable<StoredEvent>,
  named: TreeFinding,
): Promise<void> {
  for await (const { stored, what, id } of treesIn(events)) {
    look.counts.trees += 1;
    const holding = await look.parts.trees.holding(run, id);
    if (holding === "held") note(look, named, id);
    else if (holding === "dropped") look.counts.droppedTrees += 1;
    else await tell(look, run, stored, { what, id, holding });
    // One line says it of all.
    if (holding === "no_vault") return;
  }
}

interface NamedTree {
  readonly stored: StoredEvent;
  readonly what: string;
  readonly id: string;
}

/** Each tree once, where it is named first. */
async function* treesIn(events: AsyncIterable<StoredEvent>): AsyncGenerator<NamedTree> {
  const told = new Set<string>();
  for await (const stored of events) {
    for (const { what, id } of namedBy(stored.event).trees) {
      if (!told.has(id)) yield { stored, what, id };
      told.add(id);
    }
  }
}

function note({ run }: Look, named: TreeFinding, id: string): void {
  named.hasHeld = true;
  if (run !== null) named.held.push(id);
}

interface Lost {
  readonly what: string;
  readonly id: string;
  readonly holding: keyof typeof SAID;
}

async function tell(look: Look, run: RunId, { seq, event }: StoredEvent, { what, id, holding }: Lost): Promise<void> {
  const { counts, store, found } = look;
  if (holding === "missing" && seq <= (await store.chain.migratedUntil(run))) {
    counts.unknownTrees += 1;
    return;
  }
  const { problem, hint } = SAID[holding];
  const text = { problem: `${what} (${id}): ${problem}`, hint: hint.replace("ID", id) };
  found({ ...damageOf("tree", text), run, ...placeOf(event) });
}
