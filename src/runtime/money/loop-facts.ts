/** Gathers what is known of a loop now. A page of runs of each status is looked at, and only the newest of each is read. */
import type { RunId } from "../../base/ids.ts";
import type { EndedRun, OpenRun, OpenStage, ResumeOutlook, Standing } from "../../loops/why/facts.ts";
import type { Heartbeats } from "../../ports/heartbeats.ts";
import type { RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import type { EventOf, RunEvent, StoredEvent } from "../../run/events.ts";
import { isTerminal, type Status, type StopReason } from "../../run/reasons.ts";
import { readEvents } from "../past.ts";
import { listApprovals } from "../trust/find-approvals.ts";

export interface FactParts {
  readonly store: Store;
  readonly heartbeats: Pick<Heartbeats, "read">;
  /** Who resumes a run that was answered. */
  outlook(row: RunRow): Promise<ResumeOutlook>;
}

/** Runs of one status that are looked at; older ones stand the same way. */
const PAGE = 10;
/** What a rest, or an end, is found in. */
const TAIL = 100;
const ENDED: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "stage.finished",
  "stage.interrupted",
  "stage.rested",
  "stage.parked",
  "stage.deferred",
]);
const OPEN: readonly Status[] = ["running", "queued", "waiting", "paused"];

export async function openRunsOf(parts: FactParts, loop: string): Promise<readonly OpenRun[]> {
  const open: { readonly row: RunRow; readonly stands: Standing }[] = [];
  const seen = new Set<string>();
  for (const status of OPEN) {
    const { rows } = await parts.store.runs.list({ blueprint: loop, status, limit: PAGE });
    for (const row of rows) {
      const brief = briefly(row);
      const isFirst = !seen.has(brief.as);
      seen.add(brief.as);
      open.push({ row, stands: isFirst ? await inFull(parts, row, brief) : brief });
    }
  }
  open.sort((a, b) => b.row.createdAt - a.row.createdAt);
  return open.map(({ row, stands }) => ({ run: row.run, stands }));
}

/** As far as its row tells. */
function briefly({ status, reason, holder, updatedAt: since }: RunRow): Standing {
  if (status === "paused") return { as: "paused", since, by: "" };
  if (status !== "waiting") return holder === null ? { as: "lost", since } : { as: "running", since, stages: [] };
  if (reason === "awaiting_budget" || reason === "awaiting_quota")
    return { as: reason, since, detail: "", until: null };
  return { as: "awaiting_approval", since, questions: [] };
}

async function inFull(parts: FactParts, row: RunRow, brief: Standing): Promise<Standing> {
  switch (brief.as) {
    case "running":
      return { ...brief, stages: await stagesOf(parts, row.run) };
    case "awaiting_approval": {
      const asking = { ...brief, since: await restedAt(parts, row), questions: await questionsOf(parts, row.run) };
      return asking.questions.length > 0 ? asking : { ...asking, outlook: await parts.outlook(row) };
    }
    case "paused":
      return pausedBy(await tailOf(parts, row), brief);
    case "lost":
      return brief;
    default:
      return parkedUntil(await tailOf(parts, row), brief);
  }
}

async function stagesOf({ store, heartbeats }: FactParts, run: RunId): Promise<readonly OpenStage[]> {
  const open = new Map<string, EventOf<"stage.started">>();
  for (const event of await readEvents(store, run)) {
    if (event.type === "stage.started") open.set(event.stage, event);
    else if (ENDED.has(event.type) && "stage" in event) open.delete(event.stage);
  }
  const beats = await heartbeats.read(run);
  return [...open.values()].map(({ stage, attempt, at }) => {
    const said = beats.find((beat) => beat.stage === stage && beat.attempt === attempt)?.lastLine ?? "";
    return { stage, attempt, since: at, lastLine: said === "" ? null : said };
  });
}

async function questionsOf({ store }: FactParts, run: RunId) {
  const { approvals } = await listApprovals(store, { run, status: "pending", limit: 1 });
  return approvals.map(({ id, stage, why, askedAt, expiresAt }) => ({ id, stage, why, askedAt, expiresAt }));
}

async function tailOf({ store }: FactParts, { run, events }: RunRow): Promise<readonly StoredEvent[]> {
  return store.journal.read(run, Math.max(0, events - TAIL), TAIL);
}

function lastOf<T extends RunEvent["type"]>(tail: readonly StoredEvent[], type: T): EventOf<T> | undefined {
  return tail.findLast(({ event }) => event.type === type)?.event as EventOf<T> | undefined;
}

async function restedAt(parts: FactParts, row: RunRow): Promise<number> {
  return (await parts.store.waiting.get(row.run))?.rest.since ?? row.updatedAt;
}

function pausedBy(tail: readonly StoredEvent[], brief: Extract<Standing, { as: "paused" }>): Standing {
  const paused = lastOf(tail, "run.paused");
  return paused === undefined ? brief : { ...brief, since: paused.at, by: paused.by };
}

/** A run whose child rests was told only until when. */
function parkedUntil(
  tail: readonly StoredEvent[],
  brief: Extract<Standing, { readonly until: number | null }>,
): Standing {
  const rest = lastOf(tail, "run.waiting");
  const detail = lastOf(tail, "stage.parked")?.why ?? rest?.target ?? "a run that it has started rests";
  return { ...brief, since: rest?.at ?? brief.since, until: rest?.until ?? null, detail };
}

/** The newest run of the loop, when it is over; null: there is none, or it is not. */
export async function lastRunOf(parts: FactParts, loop: string): Promise<EndedRun | null> {
  const { rows } = await parts.store.runs.list({ blueprint: loop, limit: 1 });
  const [row] = rows;
  if (row === undefined || !isTerminal(row.status)) return null;
  const tail = await tailOf(parts, row);
  const trouble = tail.findLast(({ event }) => event.type === "stage.finished" && event.cause !== "ok")?.event;
  const stage = trouble?.type === "stage.finished" ? trouble.stage : null;
  const detail = lastOf(tail, "run.finished")?.detail ?? null;
  const { run, status, updatedAt: at } = row;
  // A detail that begins with its stage would tell it twice.
  const told = stage !== null && detail?.startsWith(`${stage}: `) ? detail.slice(stage.length + 2) : detail;
  return { run, status, reason: row.reason as StopReason, at, stage, detail: told };
}
