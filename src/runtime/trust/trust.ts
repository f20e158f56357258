/** What a blueprint has earned, gathered from the store; and the refusal of what it has not. */
import { pawlError } from "../../base/errors.ts";
import { formatEvidenceId } from "../../base/ids.ts";
import { gatesDigest } from "../../gates/certificate/digests.ts";
import {
  type Earned,
  earnedLevel,
  type GatesByLevel,
  type History,
  missingFor,
  missingText,
  type RunEvidence,
} from "../../loops/earned-level.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NewRun } from "../../ports/engine.ts";
import type { DrillRecord, EvidenceRecord, IncidentRecord } from "../../ports/store/evidence.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { isTerminal } from "../../run/reasons.ts";
import type { Runtime, StartOptions } from "../runtime.ts";
import { type CertifyParts, checkCertificates } from "./certify.ts";

/** A loop that looks every five minutes has this many runs that say nothing within a month. */
const MOST_RUNS = 10_000;
const PAGE = 500;
/** More than any row of clean ones that counts. */
const ENOUGH_RUNS = 100;
const MOST_DRILLS = 100;

export interface TrustParts extends CertifyParts {
  readonly root: string;
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
}

type Open = () => Promise<{ readonly store: Store }>;

/** A project without state has no evidence, and asking for it creates none. */
export function createTrust(
  parts: TrustParts,
  open: Open,
  hasState: () => boolean,
): Pick<Runtime, "certificates" | "earned" | "addEvidence" | "evidence" | "audit"> {
  const evidence: Runtime["evidence"] = async (query) =>
    hasState() ? (await open()).store.evidence.list(query) : { records: [], next: null };
  return {
    certificates: async (run) => checkCertificates(parts, (await open()).store, run),
    async earned(plan) {
      const now = parts.clock.now();
      const readiness = await readinessOf(parts.root, plan, now);
      const nothing = { now, gates: gatesByLevel(plan), runs: [], drills: [], incidents: [], readiness };
      const earned = hasState() ? await earnedBy((await open()).store, plan, now, readiness) : earnedLevel(nothing);
      const lacking = missingFor(earned, plan.level);
      return { ...earned, level: plan.level, isEarned: lacking.length === 0, lacking };
    },
    async addEvidence(fresh) {
      const record: EvidenceRecord = { ...fresh, id: formatEvidenceId(parts.randomBytes(12)), at: parts.clock.now() };
      await (await open()).store.evidence.add(record);
      return record;
    },
    evidence,
    async audit() {
      const { audit } = await import("../audit/audit.ts");
      return audit({ root: parts.root, now: parts.clock.now(), evidence });
    },
  };
}

/** A pattern runs on the files of its project. null: the plan is of another kind. */
async function readinessOf(root: string, { origin }: Plan, now: number): Promise<number | null> {
  if (origin?.door !== "pattern") return null;
  return (await import("../audit/audit.ts")).readinessScore(root, now);
}

async function earnedBy(store: Store, plan: Plan, now: number, readiness: number | null): Promise<Earned> {
  const incidents = await allIncidents(store, plan.name);
  const { records } = await store.evidence.list({ blueprint: plan.name, kind: "drill", limit: MOST_DRILLS });
  const history: History = {
    now,
    gates: gatesByLevel(plan),
    runs: await newestRuns(store, plan.name),
    drills: records as readonly DrillRecord[],
    incidents,
    readiness,
  };
  return earnedLevel(history);
}

/** Newest first, until enough of them say something about the highest level. */
async function newestRuns(store: Store, blueprint: string): Promise<readonly RunEvidence[]> {
  const plans = new Map<string, Promise<Pick<RunEvidence, "level" | "gates"> | null>>();
  const found: RunEvidence[] = [];
  let telling = 0;
  for await (const row of newestRows(store, blueprint)) {
    const about = plans.get(row.plan) ?? aboutPlan(store, row.plan);
    plans.set(row.plan, about);
    const [known, result] = [await about, await resultOf(store, row)];
    if (known === null || result === "silent") continue;
    found.push({ run: row.run, at: row.createdAt, ...known, result });
    telling += known.level >= "L2" ? 1 : 0;
    if (telling === ENOUGH_RUNS) break;
  }
  return found;
}

async function* newestRows({ runs }: Store, blueprint: string): AsyncGenerator<RunRow> {
  let cursor: string | null = null;
  let seen = 0;
  do {
    const page: Awaited<ReturnType<typeof runs.list>> = await runs.list({
      ...{ blueprint, limit: PAGE },
      ...(cursor === null ? {} : { cursor }),
    });
    yield* page.rows;
    cursor = page.next;
    seen += page.rows.length;
  } while (cursor !== null && seen < MOST_RUNS);
}

function gatesByLevel(plan: Plan): GatesByLevel {
  return { L1: gatesDigest(plan, "L1"), L2: gatesDigest(plan, "L2"), L3: gatesDigest(plan, "L3") };
}

/** All of them: an old one may be the only one that its level was lost by. */
async function allIncidents({ evidence }: Store, blueprint: string): Promise<readonly IncidentRecord[]> {
  const found: IncidentRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof evidence.list>> = await evidence.list({
      ...{ blueprint, kind: "incident", limit: 1000 },
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(...(page.records as readonly IncidentRecord[]));
    cursor = page.next;
  } while (cursor !== null);
  return found;
}

async function aboutPlan(
  { journal }: Store,
  fingerprint: string,
): Promise<Pick<RunEvidence, "level" | "gates"> | null> {
  const plan = await journal.plan(fingerprint);
  return plan === undefined ? null : { level: plan.level, gates: gatesByLevel(plan) };
}

/**
 * Only a success that carries its certificate is clean. What a person ended says nothing about the gates, and neither does a run that
 * found nothing to do or only reported: there was nothing for them to judge.
 */
async function resultOf({ journal }: Store, { run, status, reason, events }: RunRow): Promise<RunEvidence["result"]> {
  if (!isTerminal(status) || status === "cancelled" || reason === "kill_switch" || reason === "noop") return "silent";
  if (status !== "succeeded") return "failed";
  const [first] = await journal.read(run, 0, 1);
  if (first?.event.type === "run.created" && first.event.forked !== undefined) return "silent";
  const [last] = await journal.read(run, events - 1, 1);
  if (last?.event.type === "run.finished" && last.event.certificate !== undefined) return "clean";
  return reason === "reported" ? "silent" : "failed";
}

/**
 * What the first event of a run says about its level: nothing when it is earned. Rejects with RUN_LEVEL_PLANS at L0, and with
 * RUN_LEVEL_UNEARNED when it is not earned and nobody took it upon themselves.
 */
export async function admitLevel(
  { store, root }: { readonly store: Store; readonly root: string },
  plan: Plan,
  now: number,
  { unearned }: StartOptions,
): Promise<Pick<NewRun, "unearned">> {
  if (plan.level === "L0") throw pawlError(RUN_ERRORS, "RUN_LEVEL_PLANS", { plan: plan.name });
  // Looking and reporting need no evidence.
  if (plan.level <= "L1") return {};
  const earned = await earnedBy(store, plan, now, await readinessOf(root, plan, now));
  const missing = missingFor(earned, plan.level).map(missingText);
  if (missing.length === 0) return {};
  if (unearned !== undefined) return { unearned: { ...unearned, missing } };
  throw pawlError(RUN_ERRORS, "RUN_LEVEL_UNEARNED", {
    plan: plan.name,
    level: plan.level,
    earned: earned.earned,
    missing,
  });
}

/** Rejects with RUN_LEVEL_LOST when an incident since a run began took away the level that it has, and nothing has earned it again. */
export async function requireLevelKept(
  { store, root }: { readonly store: Store; readonly root: string },
  plan: Plan,
  { run, createdAt }: Pick<RunRow, "run" | "createdAt">,
  now: number,
): Promise<void> {
  if (plan.level <= "L1") return;
  const incident = (await allIncidents(store, plan.name)).find(
    ({ at, level, run: blamed }) => level <= plan.level && (at >= createdAt || blamed === run),
  );
  if (incident === undefined) return;
  const { earned } = await earnedBy(store, plan, now, await readinessOf(root, plan, now));
  if (earned >= plan.level) return;
  const { name, level } = plan;
  throw pawlError(RUN_ERRORS, "RUN_LEVEL_LOST", { run, plan: name, level, earned, incident: incident.id });
}
