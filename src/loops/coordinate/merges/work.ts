/**
 * Works a queue off: each group of changes is carried onto the newest commit of the branch, the gates of the runs judge the combination, and
 * only what they pass is moved there. The branch moves from exactly the commit that was judged with, so it is green whatever happens meanwhile; what
 * is about to be moved is kept before, so a worker that is cut off anywhere is followed by one that finds out what has happened.
 */
import type { Carried, Mainline } from "../../../ports/loops/mainline.ts";
import type { ChangeRecord } from "./change.ts";
import type { Changes, Ended, Taken } from "./changes.ts";
import type { Found, Landing } from "./queue.ts";

export type Verdict =
  | { readonly is: "green" }
  | { readonly is: "red"; readonly why: string }
  /** The gates could not be asked, or did not get to an end. */
  | { readonly is: "unknown"; readonly why: string };

export interface Combination {
  readonly into: string;
  /** The commit of the branch that everything is compared with. */
  readonly base: string;
  readonly commit: string;
  readonly changes: readonly ChangeRecord[];
  readonly tries: number;
}

export interface WorkParts {
  readonly changes: Changes;
  readonly mainline: Mainline;
  /** Lets the gates of the runs judge; the same combination is judged once. `alive` is called now and then, and says whether to go on. */
  check(combination: Combination, alive: () => Promise<boolean>): Promise<Verdict>;
  now(): number;
  /** Why nothing may be done; null: it may. */
  stopped(): string | null;
  /** What was put off until before then is tried all the same. */
  readonly dueBefore?: number;
  onStep?(step: Step): void | Promise<void>;
}

/** What was done, for whoever looks on. */
export interface Step {
  readonly into: string;
  readonly ended: readonly (Ended & { readonly record: ChangeRecord })[];
  /** What comes next is put off, and why; null: nothing is. */
  readonly putOff: string | null;
}

/** What cannot be judged now is tried again after this. */
export const PUT_OFF_MS = 300_000;

interface Turn {
  readonly parts: WorkParts;
  readonly into: string;
  readonly taken: Taken;
  readonly group: readonly ChangeRecord[];
}

interface Outcome {
  readonly found: Found;
  readonly ended: readonly Ended[];
  readonly putOff: string | null;
}

/** Resolves when there is nothing to do, or nothing may be done any more; how many steps were taken. */
export async function workQueue(parts: WorkParts, into: string, worker: string): Promise<number> {
  const { changes, now } = parts;
  for (let steps = 0; ; steps += 1) {
    const taken = parts.stopped() === null ? await changes.take(into, worker, now(), parts.dueBefore) : null;
    if (taken === null) return steps;
    const group: ChangeRecord[] = [];
    for (const id of taken.group) group.push((await changes.get(id)) as ChangeRecord);
    const turn: Turn = { parts, into, taken, group };
    const outcome = (await finishLanding(turn)) ?? (await tryGroup(turn));
    if (outcome === null) return steps;
    const { found, ended, putOff } = outcome;
    if (!(await changes.report(into, taken.token, found, ended, now()))) return steps;
    const told = ended.map((each) => ({ ...each, record: group.find(({ id }) => id === each.id) as ChangeRecord }));
    await parts.onStep?.({ into, ended: told, putOff });
    await changes.letGo(into, taken.token);
  }
}

/** A worker before this one may have moved the branch, and was cut off before it could say so. null: there is nothing to finish. */
async function finishLanding({ parts, into, taken }: Turn): Promise<Outcome | null> {
  const { landing } = taken;
  if (landing === null) return null;
  await parts.mainline.mend(into);
  const isThere = await parts.mainline.holds(into, landing.to);
  return isThere ? landed(landing) : null;
}

/** null: another worker has the queue. */
async function tryGroup(turn: Turn): Promise<Outcome | null> {
  const { parts, into, group } = turn;
  const base = await parts.mainline.tip(into);
  if (base === null) return over(group, "returned", `there is no branch ${into}`);
  const byHand = await filterAsync(group, ({ source }) => parts.mainline.holds(into, source));
  if (byHand.length > 0) return over(byHand, "merged", "somebody merged it by hand");
  const stack = await stackAll(turn, base);
  if ("found" in stack) return stack;
  const verdict = await judge(turn, base, stack);
  if (verdict.is === "green") return landOn(turn, base, stack);
  if (verdict.is === "unknown") return putOff(turn, verdict.why);
  if (group.length > 1) return { found: { is: "red" }, ended: [], putOff: null };
  return blame(turn, base, verdict.why);
}

interface Stack {
  readonly commit: string;
  readonly commits: Readonly<Record<string, string>>;
  /** It is exactly what the gates of its run have passed, on exactly this commit. */
  readonly isJudged: boolean;
}

async function stackAll({ parts, group }: Turn, base: string): Promise<Stack | Outcome> {
  let commit = base;
  let isExact = false;
  const commits: Record<string, string> = {};
  for (const change of group) {
    const made = await parts.mainline.stack(commit, carriedBy(change));
    if ("commit" in made) {
      commit = made.commit;
      isExact = made.exact;
      commits[change.id] = commit;
      continue;
    }
    const first = Object.keys(commits);
    if (first.length > 0) return { found: { is: "apart", first }, ended: [], putOff: null };
    if ("nothing" in made) return over([change], "merged", "all of it was there already");
    return over([change], "returned", conflictText(made));
  }
  const [only] = group;
  const isJudged = group.length === 1 && isExact && only?.base === base;
  return { commit, commits, isJudged };
}

function carriedBy({ id, run, into, branch, base, source, at }: ChangeRecord): Carried {
  return { key: `merge:${id}`, run, into, branch, base, source, at };
}

function conflictText({ conflicts, why }: { readonly conflicts: readonly string[]; readonly why: string }): string {
  if (conflicts.length === 0) return why;
  const more = conflicts.length > 5 ? ` and ${conflicts.length - 5} more` : "";
  return `it conflicts with what was merged since it began: ${conflicts.slice(0, 5).join(", ")}${more}`;
}

function judge({ parts, into, taken, group }: Turn, base: string, { commit, isJudged }: Stack): Promise<Verdict> {
  if (isJudged) return Promise.resolve({ is: "green" });
  return parts.check({ into, base, commit, changes: group, tries: taken.tries }, aliveIn(parts, into, taken.token));
}

function aliveIn({ changes, now, stopped }: WorkParts, into: string, token: number): () => Promise<boolean> {
  return async () => stopped() === null && (await changes.renew(into, token, now()));
}

/** One change alone does not pass. Where the branch itself does not pass either, it is not to blame for that. */
async function blame({ parts, into, taken, group }: Turn, base: string, why: string): Promise<Outcome> {
  const itself = { into, base, commit: base, changes: group, tries: taken.tries };
  const verdict = await parts.check(itself, aliveIn(parts, into, taken.token));
  if (verdict.is === "green") return over(group, "returned", why);
  return putOff({ parts, group }, `${into} itself does not pass: ${verdict.why}`);
}

async function landOn(turn: Turn, base: string, { commit, commits }: Stack): Promise<Outcome | null> {
  const { parts, into, taken, group } = turn;
  const { changes, mainline, now } = parts;
  const landing: Landing = { from: base, to: commit, commits };
  if (!(await changes.land(into, taken.token, landing, now()))) return null;
  const stopped = parts.stopped();
  if (stopped !== null) return null;
  const advanced = await mainline.advance(into, base, commit, `merge:${group.map(({ id }) => id).join(",")}`);
  if (advanced.moved) return landed(landing);
  return advanced.raced ? { found: { is: "raced" }, ended: [], putOff: null } : putOff(turn, advanced.why);
}

function landed({ commits }: Landing): Outcome {
  const ended = Object.entries(commits).map(([id, commit]): Ended => ({ id, to: "merged", why: null, commit }));
  return { found: { is: "over", ids: Object.keys(commits) }, ended, putOff: null };
}

function over(changes: readonly ChangeRecord[], to: Ended["to"], why: string): Outcome {
  const ids = changes.map(({ id }) => id);
  return { found: { is: "over", ids }, ended: ids.map((id) => ({ id, to, why, commit: null })), putOff: null };
}

function putOff({ parts, group }: Pick<Turn, "parts" | "group">, why: string): Outcome {
  const notBefore = parts.now() + PUT_OFF_MS;
  const waiting = group.map(({ id, priority, at }) => ({ id, priority, at, notBefore }));
  return { found: { is: "put_off", waiting }, ended: [], putOff: why };
}

async function filterAsync<T>(list: readonly T[], test: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const kept: T[] = [];
  for (const item of list) if (await test(item)) kept.push(item);
  return kept;
}
