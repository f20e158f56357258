/**
 * Lets the gates of the runs judge a combination of their changes: a run of nothing but those gates, with the walls, the policy and the protected paths of
 * their plans, in a fresh checkout. Its id follows from what it judges: a check that was cut off is gone on with, and one that is over is not made again.
 */
import { sha256 } from "../../base/digest.ts";
import { formatRunId, type RunId } from "../../base/ids.ts";
import type { Combination, Verdict, WorkParts } from "../../loops/coordinate/merges/work.ts";
import { judgingPlan } from "../../loops/drill/drill-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine, Hosted } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Workspaces } from "../../ports/workspaces.ts";
import { isTerminal, type Status } from "../../run/reasons.ts";
import { readEvents } from "../past.ts";

export interface CheckParts {
  readonly store: Store;
  readonly engine: Engine;
  readonly workspaces: Pick<Workspaces, "drop">;
  readonly clock: Clock;
  readonly by: string;
}

const ALIVE_MS = 20_000;

export function createCheck(parts: CheckParts): WorkParts["check"] {
  return async (combination, alive) => {
    for (const fingerprint of new Set(combination.changes.map(({ plan }) => plan))) {
      const verdict = await checkWith(parts, fingerprint, combination, alive);
      if (verdict.is !== "green") return verdict;
    }
    return { is: "green" };
  };
}

async function checkWith(
  parts: CheckParts,
  fingerprint: string,
  combination: Combination,
  alive: () => Promise<boolean>,
): Promise<Verdict> {
  const plan = await parts.store.journal.plan(fingerprint);
  if (plan === undefined) return { is: "unknown", why: "its plan is not in the journal" };
  const made = judgingPlan(plan);
  const [untried] = made.untried;
  if (untried !== undefined) return { is: "red", why: `${untried.what} cannot judge a combination: ${untried.why}` };
  if (made.plan === null) return { is: "red", why: "it has no gate that could judge a combination" };
  // The branch itself improves nothing: it must only be as good as it is.
  const isItself = combination.commit === combination.base;
  return judge(parts, isItself ? (made.relaxed ?? made.plan) : made.plan, combination, alive);
}

async function judge(
  parts: CheckParts,
  plan: Plan,
  combination: Combination,
  alive: () => Promise<boolean>,
): Promise<Verdict> {
  const run = checkRun(plan, combination);
  const row = await parts.store.runs.get(run);
  const hosted =
    row !== undefined && isTerminal(row.status) ? null : await host(parts, run, plan, combination, row !== undefined);
  if (hosted !== null) await watched(parts, hosted, alive);
  const status = (await parts.store.runs.get(run))?.status ?? "running";
  if (!isTerminal(status)) {
    if (status !== "running") await parts.engine.cancel(run, parts.by);
    return { is: "unknown", why: `the check ${run} did not come to an end` };
  }
  await parts.workspaces.drop(run);
  return verdictOf(status, run, await whyOf(parts.store, run));
}

/** The same check for the same combination, as long as it gave a verdict. */
function checkRun({ fingerprint }: Plan, { base, commit, tries }: Combination): RunId {
  const digest = sha256(`merge:${fingerprint}:${base}:${commit}:${tries}`);
  return formatRunId(Uint8Array.from({ length: 12 }, (_, i) => Number.parseInt(digest.slice(i * 2, i * 2 + 2), 16)));
}

function host(
  { engine, by }: CheckParts,
  run: RunId,
  plan: Plan,
  { into, base, commit, changes }: Combination,
  isThere: boolean,
): Promise<Hosted> {
  if (isThere) return engine.resume(run, { by });
  const plant = `what ${into} would be with ${changes.map(({ id }) => id).join(", ")}`;
  return engine.start({ run, plan, params: plan.params, tree: commit, base, drill: { id: `merge:${into}`, plant } });
}

/** Whoever no longer has the queue lets its check go. */
async function watched(
  { engine, clock, by }: CheckParts,
  { run, ended }: Hosted,
  alive: () => Promise<boolean>,
): Promise<void> {
  let callOff: () => void = () => undefined;
  const look = (): void => {
    callOff = clock.after(ALIVE_MS, () => {
      void alive()
        .catch(() => true)
        .then((goesOn) => (goesOn ? look() : engine.cancel(run, by).then(() => undefined)))
        .catch(() => undefined);
    });
  };
  look();
  try {
    await ended;
  } finally {
    callOff();
  }
}

function verdictOf(status: Status, run: RunId, why: string): Verdict {
  if (status === "succeeded") return { is: "green" };
  if (status === "cancelled" || status === "killed") return { is: "unknown", why: `the check ${run} was ended` };
  return { is: "red", why: `${why} (pawl show ${run})` };
}

/** What the gate that did not pass has said. */
async function whyOf(store: Store, run: RunId): Promise<string> {
  for (const event of [...(await readEvents(store, run))].reverse()) {
    if (event.type === "policy.denied" || event.type === "approval.requested") return `${event.stage}: ${event.why}`;
    if (event.type === "stage.refused") return `${event.stage}: ${event.error}`;
    if (event.type === "stage.finished" && event.outcome !== "pass")
      return `${event.stage}: ${event.error ?? event.cause}`;
  }
  return "its gates do not pass";
}
