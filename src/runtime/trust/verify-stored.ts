/**
 * Verifies what a project has stored: the pin and the chain of runs, the events of each run, the artifacts and the trees that they name. It
 * reads page by page, keeps nothing of what it has read, and goes on after each damage that it finds.
 */
import { setImmediate as turn } from "node:timers/promises";
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { ChainReport } from "../../ports/store/journal.ts";
import type { ChainPlace } from "../../ports/store/run-chain.ts";
import type { Store } from "../../ports/store/store.ts";
import type { ArtifactRef, StoredEvent } from "../../run/events.ts";
import { namedBy } from "../../run/record/named.ts";
import {
  type Damage,
  damageOf,
  type Look,
  placeOf,
  type Verified,
  type VerifyOptions,
  type VerifyParts,
  type VerifyReport,
} from "./damage.ts";
import { verifyMentioned, verifyStores } from "./verify-stores.ts";
import { runTrees, type TreeFinding } from "./verify-trees.ts";

const NOTHING: Verified = {
  ...{ runs: 0, events: 0, artifacts: 0, artifactBytes: 0 },
  ...{ trees: 0, droppedTrees: 0, unknownTrees: 0, unmentionedRuns: 0, objects: 0 },
};
const PAGE = 500;
/** Beyond it, what many runs name is read again. */
const MOST_SOUND = 20_000;
const RESTORE = "restore .pawl/ from a backup; to take the journal as it is, run `pawl doctor --accept-loss`";
const RESTORE_ALL = "restore .pawl/ from a backup";

/** Rejects when the signal aborts. */
export async function verifyStored(parts: VerifyParts, store: Store, options: VerifyOptions): Promise<VerifyReport> {
  let damaged = 0;
  const found = (damage: Damage): void => {
    damaged += 1;
    options.onDamage(damage);
  };
  const look: Look = { ...options, parts, store, counts: { ...NOTHING }, sound: new Set(), found };
  const standing = await store.chain.standing();
  for (const problem of standing.problems)
    found(damageOf("pin", { problem: `the journal: ${problem}`, hint: RESTORE }));
  const of = options.run === null ? standing.runs : 1;
  const named: TreeFinding = { held: [], hasHeld: false };
  if (options.run !== null) await verifyRun(look, options.run, named, of);
  else {
    await verifyChain(look);
    for await (const run of everyRun(look)) await verifyRun(look, run, named, of);
    if (!options.quick) {
      await verifyMentioned(look, standing.isAccepted);
      await verifyStores(look);
    }
  }
  if (!options.quick) await verifyObjects(look, named, of);
  return { verified: look.counts, damaged, isChained: standing.isChained };
}

async function verifyChain({ store, signal, found }: Look): Promise<void> {
  for (let place: ChainPlace | null = null; ; ) {
    await turn();
    signal.throwIfAborted();
    const { faults, next } = await store.chain.check(place);
    for (const { run, problem } of faults) found({ ...damageOf("run", { problem, hint: RESTORE_ALL }), run });
    if (next === null) return;
    place = next;
  }
}

async function* everyRun({ store }: Pick<Look, "store">): AsyncGenerator<RunId> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["chain"]["list"]>> = await store.chain.list(after);
    yield* page.runs;
    after = page.next;
  }
}

async function verifyRun(look: Look, run: RunId, named: TreeFinding, of: number): Promise<void> {
  const { store, counts, signal, found, quick } = look;
  // Signals are heard between two runs.
  await turn();
  signal.throwIfAborted();
  const report = await verifyEvents(store, run);
  counts.runs += 1;
  if (report.intact) counts.events += report.events;
  else {
    const { seq, problem } = report;
    const rest = quick ? "" : "; the artifacts and trees that it names were not looked at";
    const hint = `restore .pawl/ from a backup: nothing after this event can be believed${rest}`;
    found({ ...damageOf("event", { problem, hint }), run, seq });
  }
  look.onProgress(counts, of);
  if (!report.intact || quick) return;
  for await (const stored of eventsOf(look, run)) {
    for (const { what, ref } of namedBy(stored.event).artifacts) await verifyArtifact(look, run, stored, what, ref);
    look.onProgress(counts, of);
  }
  await runTrees(look, run, eventsOf(look, run), named);
}

/** What SQLite cannot read is damage of this run, and no reason to leave the others unread. */
async function verifyEvents(store: Store, run: RunId): Promise<ChainReport> {
  try {
    return await store.journal.verify(run);
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return { intact: false, seq: 1, problem: error.message };
  }
}

export async function* eventsOf(
  { store, signal }: Pick<Look, "store" | "signal">,
  run: RunId,
): AsyncGenerator<StoredEvent> {
  for (let seq = 0; ; ) {
    signal.throwIfAborted();
    const page = await store.journal.read(run, seq, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    seq += page.length;
  }
}

async function verifyArtifact(
  look: Look,
  run: RunId,
  { event }: StoredEvent,
  what: string,
  ref: ArtifactRef,
): Promise<void> {
  const { counts, sound, signal, found } = look;
  signal.throwIfAborted();
  counts.artifacts += 1;
  const key = `${ref.sha256} ${ref.bytes}`;
  if (sound.has(key)) return;
  try {
    await look.parts.artifacts.check(ref);
    counts.artifactBytes += ref.bytes;
    if (sound.size >= MOST_SOUND) sound.clear();
    sound.add(key);
  } catch (error) {
    if (!isPawlError(error)) throw error;
    const digest = ref.sha256;
    const problem = `${what} (sha256:${digest}, ${ref.bytes} bytes): ${error.message}`;
    const hint = `restore .pawl/artifacts/${digest.slice(0, 2)}/${digest} from a backup`;
    found({ ...damageOf("artifact", { problem, hint }), run, ...placeOf(event) });
  }
}

/** Damage that was found in the objects of the vault is looked for in each run, so that it has a name. */
async function verifyObjects(look: Look, named: TreeFinding, of: number): Promise<void> {
  if (!named.hasHeld) return;
  const { parts, counts, signal, found, run } = look;
  const { objects, problem } = await parts.trees.examine(run === null ? "all" : named.held, signal);
  counts.objects += objects;
  look.onProgress(counts, of);
  if (problem === null) return;
  let blamed = 0;
  if (run !== null) blamed = await blameRun(look, run);
  else for await (const each of everyRun(look)) blamed += await blameRun(look, each);
  if (blamed > 0) return;
  const hint = "restore .pawl/vault.git from a backup: no tree that a run names is affected, but its history is";
  found(damageOf("vault", { problem: `the vault: ${problem}`, hint }));
}

/** How many of its trees are damaged. */
async function blameRun(look: Look, run: RunId): Promise<number> {
  const { parts, signal, found } = look;
  const trees: { readonly event: object; readonly what: string; readonly id: string }[] = [];
  for await (const { event } of eventsOf(look, run))
    for (const { what, id } of namedBy(event).trees)
      if ((await parts.trees.holding(run, id)) === "held") trees.push({ event, what, id });
  const ids = trees.map(({ id }) => id);
  if (ids.length === 0 || (await parts.trees.examine(ids, signal)).problem === null) return 0;
  let blamed = 0;
  for (const { event, what, id } of trees) {
    const { problem } = await parts.trees.examine([id], signal);
    if (problem === null) continue;
    blamed += 1;
    const said = { problem: `${what} (${id}) is damaged: ${problem}`, hint: "restore .pawl/vault.git from a backup" };
    found({ ...damageOf("tree", said), run, ...placeOf(event) });
  }
  return blamed;
}
